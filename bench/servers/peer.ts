/** The public implementation, @x402/stellar's own facilitator with its own choice of signers, behind Fastify. */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme } from '@x402/stellar/exact/facilitator';
import fastify from 'fastify';
import { aliasStellarHosts } from '../../sandbox/aliases.ts';
import { trustCertificate } from '../../sandbox/tls.ts';
import { serveMeasured } from './child.ts';

interface Envelope {
  paymentPayload: PaymentPayload;
  paymentRequirements: PaymentRequirements;
}

// Its lines about refused payments would cost it time, and hide those of the bench.
console.error = () => {};

serveMeasured(async ({ rpcUrl, sandboxHttpsUrl, certificate, submitterSecrets }) => {
  trustCertificate(certificate);
  aliasStellarHosts(sandboxHttpsUrl);
  const signers = submitterSecrets.map((secret) => createEd25519Signer(secret, 'stellar:testnet'));
  const scheme = new ExactStellarScheme(signers, { rpcConfig: { url: rpcUrl } });
  const app = fastify();
  app.get('/health', () => ({ status: 'ok' }));
  app.post<{ Body: Envelope }>('/verify', ({ body }) =>
    scheme.verify(body.paymentPayload, body.paymentRequirements),
  );
  app.post<{ Body: Envelope }>('/settle', ({ body }) =>
    scheme.settle(body.paymentPayload, body.paymentRequirements),
  );
  return { port: Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port) };
});
