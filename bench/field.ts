import { Keypair } from '@stellar/stellar-sdk';
import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme } from '@x402/stellar/exact/client';
import { trustCertificate } from '../sandbox/tls.ts';
import { aliasTestnetHosts } from '../sandbox/aliases.ts';
import { startSandbox } from '../sandbox/server.ts';
import type { Sandbox } from '../sandbox/server.ts';
import { startServer } from './measuredServer.ts';
import type { MeasuredServer } from './measuredServer.ts';

const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA';
const ACCOUNT_STROOPS = 100_000_000_000n;

/** A sandbox network, both servers on it, and a buyer with the stock client. */
export interface Field extends AsyncDisposable {
  sandbox: Sandbox;
  servers: MeasuredServer[];
  /** A payment that the stock client made and signed, as the body of verify and settle. */
  payment(): Promise<string>;
}

export async function openField(ledgerMs: number): Promise<Field> {
  const sandbox = await startSandbox({ ledgerMs });
  trustCertificate(sandbox.caCertificate);
  const restore = aliasTestnetHosts(sandbox.httpsUrl);
  const [buyer, seller, ...submitters] = Array.from({ length: 4 }, () => Keypair.random());
  if (!buyer || !seller) throw new Error('unreachable');
  for (const account of [buyer, seller, ...submitters])
    sandbox.network.createAccount(account.publicKey(), ACCOUNT_STROOPS);
  for (const account of [buyer, seller]) sandbox.network.mint(account.publicKey(), 1_000_000_000n);

  const paymentRequirements = {
    scheme: 'exact',
    network: 'stellar:testnet' as const,
    asset: USDC,
    amount: '10000',
    payTo: seller.publicKey(),
    maxTimeoutSeconds: 60,
    extra: { areFeesSponsored: true },
  };
  const client = new ExactStellarScheme(createEd25519Signer(buyer.secret(), 'stellar:testnet'), {
    url: sandbox.httpsUrl,
  });
  const modules = [
    ['this service', './servers/facilitator.ts'],
    ['@x402/stellar 2.9.0 on Fastify', './servers/peer.ts'],
  ] as const;
  const servers: MeasuredServer[] = [];
  for (const [i, [name, module]] of modules.entries()) {
    servers.push(
      await startServer(name, module, {
        rpcUrl: sandbox.url,
        sandboxHttpsUrl: sandbox.httpsUrl,
        certificate: sandbox.caCertificate,
        submitterSecrets: submitters.slice(i, i + 1).map((submitter) => submitter.secret()),
      }),
    );
  }
  return {
    sandbox,
    servers,
    async payment() {
      const { x402Version, payload } = await client.createPaymentPayload(2, paymentRequirements);
      const paymentPayload = { x402Version, payload, accepted: paymentRequirements };
      return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements });
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.close();
      restore();
      await sandbox.close();
    },
  };
}
