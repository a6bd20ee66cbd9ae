/** Makes the certificate of the sandbox's https port at start. Its key never leaves memory. */
import { randomUUID } from 'node:crypto';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { STELLAR_HOSTS } from './aliases.ts';

/** The certificate's life starts this long in the past, so that a clock that lags a little accepts it. */
const CLOCK_SKEW_MS = 3_600_000;

/**
 * Makes a self-signed server certificate and its key (PEM). It is not a certificate authority: whoever trusts it
 * trusts only this key, for the names of the sandbox and of the hosts that it stands in for.
 */
export async function createCertificate(): Promise<{ key: string; certificate: string }> {
  const names = ['localhost', ...STELLAR_HOSTS].map((value) => ({ type: 2 as const, value }));
  const { private: key, cert: certificate } = await generate(
    // Trusted certificates are found by their subject, so two sandboxes must not share one.
    [{ name: 'commonName', value: `Stellar sandbox network ${randomUUID()}` }],
    {
      keyType: 'ec',
      algorithm: 'sha256',
      notBeforeDate: new Date(Date.now() - CLOCK_SKEW_MS),
      extensions: [
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'extKeyUsage', serverAuth: true },
        { name: 'subjectAltName', altNames: [...names, { type: 7, ip: '127.0.0.1' }] },
      ],
    },
  );
  return { key, certificate };
}

/**
 * Makes this process trust a certificate (PEM) besides those that it already trusts, for `https` and `fetch`. Another
 * process needs NODE_EXTRA_CA_CERTS.
 */
export function trustCertificate(pem: string): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), pem]);
}
