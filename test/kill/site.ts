import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { journalPathOf } from '../../src/databasePath.ts';
import { bazaar } from '../catalog/settledPayments.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { post } from '../http/support.ts';
import type { Answer } from '../http/support.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import type { Payment } from '../support/serviceSettlements.ts';
import { openNode } from './node.ts';
import { startService } from './process.ts';
import type { ServiceProcess } from './process.ts';
import { readListings } from './readers.ts';

/** A service with files of its own, which can be started again, and what its node sees. */
export interface Site {
  journalPath: string;
  start(): ServiceProcess;
  /** Once such a call has taken effect. */
  called(method: string): Promise<void>;
  /** The calls so far. */
  forget(): void;
  /** What the RPC does before a call takes effect. */
  hold: (method: string) => Promise<void> | void;
}

export async function openSite(sandbox: TestSandbox): Promise<Site> {
  const calls = new Set<string>();
  const dbPath = join(temporaryFolder(), 'catalog.db');
  const waiting: { method: string; resolve(): void }[] = [];
  const site: Site = {
    journalPath: journalPathOf(dbPath),
    hold: () => {},
    called(method) {
      if (calls.has(method)) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ method, resolve }));
    },
    forget: () => calls.clear(),
    start: () => startService({ DB_PATH: dbPath, RPC_URL: node.url, SUBMITTER_SECRET: secret }),
  };
  const node = await openNode(sandbox.network, {
    onCall: (method) => site.hold(method),
    onEffect(method) {
      calls.add(method);
      for (const one of waiting) if (one.method === method) one.resolve();
    },
  });
  onTestFinished(() => node.close());
  const secret = sandbox.submitter().secret();
  return site;
}

export interface SitePayment extends Payment {
  url: string;
}

/** A new payment for a resource of its own. */
export function newPayment(sandbox: TestSandbox): SitePayment {
  const stage = { sandbox } as never;
  const payment = settlementsOn(stage).newPayment();
  const { paymentPayload, ...request } = payment.request;
  const url = `https://seller.test/${payment.payer}`;
  const extended = {
    ...paymentPayload,
    resource: { url, description: 'a resource' },
    extensions: { bazaar },
  };
  return { ...payment, url, request: { ...request, paymentPayload: extended } };
}

export const settle = (url: string, { request }: Payment): Promise<Answer> =>
  post(`${url}/settle`, JSON.stringify(request));
export const listedAt = async (url: string): Promise<string[]> =>
  (await readListings(url)).map(({ resource }) => resource);

export async function expectStopped(service: ServiceProcess): Promise<void> {
  const { code, signal, stderr } = await service.ended;
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' });
}
