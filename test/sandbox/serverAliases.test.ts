import https from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aliasStellarHosts } from '../../sandbox/aliases.ts';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { createCertificate, trustCertificate } from '../../sandbox/tls.ts';

const HORIZON = 'https://horizon-testnet.stellar.org/ledgers?order=desc&limit=1';

/** The SDK that stock x402 clients bring along asks Horizon through axios. */
const sdk14 = createRequire(new URL('../../node_modules/@x402/stellar/package.json', import.meta.url))(
  '@stellar/stellar-sdk',
);

let sandbox: Sandbox;
let restore: () => void;
beforeEach(async () => {
  sandbox = await startSandbox({ ledgerMs: 0, startLedger: 4321 });
  restore = aliasStellarHosts(sandbox.httpsUrl);
});
afterEach(async () => {
  restore();
  await sandbox.close();
});

function get(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    https.get(url, (response) => resolve(text(response))).on('error', reject);
  });
}

test("https requests to testnet's Horizon reach the sandbox, and its certificate is checked", async () => {
  await expect(get(HORIZON)).rejects.toThrow('self-signed certificate');
  trustCertificate(sandbox.caCertificate);
  expect(JSON.parse(await get(HORIZON))._embedded.records[0].sequence).toBe(4321);
});

test('other hosts are reached as before', async () => {
  const { key, certificate } = await createCertificate();
  trustCertificate(certificate);
  const other = https.createServer({ key, cert: certificate }, (_request, response) => response.end('other'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  expect(await get(`https://localhost:${(other.address() as AddressInfo).port}`)).toBe('other');
  other.closeAllConnections();
  other.close();
});

test('a proxy that the environment names is bypassed for the sandbox, until restored', async () => {
  trustCertificate(sandbox.caCertificate);
  const horizon = new sdk14.Horizon.Server('https://horizon-testnet.stellar.org');
  const latest = async () => (await horizon.ledgers().order('desc').limit(1).call()).records[0].sequence;
  process.env['https_proxy'] = 'http://127.0.0.1:1';
  try {
    expect(await latest()).toBe(4321);
    restore();
    await expect(latest()).rejects.toThrow('127.0.0.1:1');
  } finally {
    delete process.env['https_proxy'];
  }
});

test('restoring gives the hosts back', () => {
  const aliased = https.globalAgent;
  restore();
  expect(https.globalAgent).not.toBe(aliased);
});
