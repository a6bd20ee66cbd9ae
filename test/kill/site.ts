import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import type { FacilitatorRequest } from '../../src/contract/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { post, type Answer } from '../http/support.ts';
import { requirementsFor, signTransfer } from '../support/payments.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { openNode } from '../world/httpNode.ts';
import { requestDeclaring } from '../world/payment.ts';
import { startService, type ServiceProcess } from './process.ts';
import { readListings } from './readers.ts';

/** A service with files of its own, which can be started again, and what its node sees. */
export interface Site {
  dbPath: string;
  journalPath: string;
  start(): ServiceProcess;
  /** Once such a call has taken effect. */
  called(method: string): Promise<void>;
  /** The calls so far. */
  forget(): void;
  /** What the RPC does before a call takes effect. */
  hold: (method: string) => Promise<void> | void;
}

/** `env` is the service's, beside its own. */
export async function openSite(sandbox: TestSandbox, env: Record<string, string> = {}): Promise<Site> {
  const calls = new Set<string>();
  const dbPath = join(temporaryFolder(), 'catalog.db');
  const waiting: { method: string; resolve(): void }[] = [];
  const site: Site = {
    dbPath,
    journalPath: journalPathOf(dbPath),
    hold: () => {},
    called(method) {
      if (calls.has(method)) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ method, resolve }));
    },
    forget: () => calls.clear(),
    start: () => startService({ DB_PATH: dbPath, RPC_URL: node.url, SUBMITTER_SECRET: secret, ...env }),
  };
  const node = await openNode(sandbox.network);
  node.onCall = (method) => site.hold(method);
  node.onEffect = (method) => {
    calls.add(method);
    for (const one of waiting) if (one.method === method) one.resolve();
  };
  onTestFinished(() => node.down());
  const secret = sandbox.submitter().secret();
  return site;
}

export interface SitePayment {
  payTo: string;
  url: string;
  request: FacilitatorRequest;
}

/** A new buyer's payment of AMOUNT, for a resource of its own and to a new seller unless told. */
export function newPayment(
  sandbox: TestSandbox,
  terms: Partial<Pick<SitePayment, 'payTo' | 'url'> & { description: string }> = {},
): SitePayment {
  const { payTo = sandbox.account(0n).publicKey(), description = '' } = terms;
  const { url = `https://seller.test/${payTo}` } = terms;
  const requirements = requirementsFor(payTo);
  const expiration = sandbox.expirationIn(requirements.maxTimeoutSeconds);
  const signed = signTransfer({ key: sandbox.account(), requirements, expiration, nonce: sandbox.nonce() });
  const request = requestDeclaring({ url, description, deserves: 'a listing' }, requirements, signed);
  return { payTo, url, request };
}

export const settle = (url: string, { request }: SitePayment): Promise<Answer> =>
  post(`${url}/settle`, JSON.stringify(request));
export const listedAt = async (url: string): Promise<string[]> =>
  (await readListings(url)).map(({ resource }) => resource);

export async function expectStopped(service: ServiceProcess): Promise<void> {
  const { code, signal, stderr } = await service.ended;
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' });
}

/** Waits until that is so, however busy the machine is. */
export const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 20_000, interval: 20 });
