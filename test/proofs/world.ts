/** A catalog whose prover looks at origins of this machine, by a clock that the test turns. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { openCatalog, type Catalog, type SettledPayment } from '../../src/catalog/index.ts';
import type { DiscoveryListResponse, DiscoveryResource } from '../../src/contract/index.ts';
import type { Reach } from '../../src/net/reach.ts';
import { heardBy, startProver } from '../../src/proofs/index.ts';
import type { ProofLimits } from '../../src/proofs/limits.ts';
import { IN_MEMORY } from '../../src/store/sqliteFile.ts';
import { encode } from '../agent/support/seller.ts';
import { openHttpServer } from '../agent/support/httpServer.ts';
import { readPage } from '../catalog/pages.ts';
import { sold } from '../catalog/sellers.ts';
import { silent } from '../support/service.ts';

export type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

/** What an origin answers, by path; 404 elsewhere. A test may change it. */
export type Pages = Record<string, Answer>;

export const OWNER_FILE = '/.well-known/x402-owner';
export const STELLAR_TOML = '/.well-known/stellar.toml';

export const file = (text: string | Buffer, status = 200): Answer => {
  return (response) => response.writeHead(status).end(text);
};
export const ownerFile = (...payTo: unknown[]): Answer => file(JSON.stringify({ payTo }));
export const tomlOf = (...accounts: string[]): string =>
  `VERSION="2.7.0"\nACCOUNTS=${JSON.stringify(accounts)}\n[DOCUMENTATION]\nORG_NAME="x"\n`;
export const stellarToml = (...accounts: string[]): Answer => file(tomlOf(...accounts));
export const termsOf = (...payTo: string[]) => ({
  accepts: payTo.map((to) => ({ scheme: 'exact', payTo: to })),
});
export const asksToPay = (...payTo: string[]): Answer => {
  const required = encode({ x402Version: 2, ...termsOf(...payTo) });
  return (response) => response.writeHead(402, { 'PAYMENT-REQUIRED': required }).end('{}');
};

export interface Origin {
  readonly url: string;
  readonly pages: Pages;
  /** The paths that were asked for. */
  readonly asked: string[];
}

export async function openOrigin(pages: Pages = {}): Promise<Origin> {
  const asked: string[] = [];
  const url = await openHttpServer((request, response) => {
    asked.push(request.url!);
    return (pages[request.url!] ?? file('', 404))(response, request);
  });
  return { url, pages, asked };
}

export interface World {
  readonly catalog: Catalog;
  /** Settles for `origin/key`, and returns the code of a refusal. */
  pay(
    origin: Origin,
    key: string,
    payTo: string,
    changes?: Partial<SettledPayment>,
  ): Promise<string | undefined>;
  listings(): Promise<readonly DiscoveryResource[]>;
  /** How each listing is verified, in the order in which they were made. */
  verified(): Promise<(string | undefined)[]>;
  /** Lets this much time pass on the prover's clock. */
  pass(ms: number): void;
  /** Sets the system's clock back, while no time passes. */
  setBack(ms: number): void;
  /** What the prover logged. */
  readonly said: string[];
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly limits?: Partial<ProofLimits>;
  readonly reach?: Reach;
}

export async function openWorld({ limits, reach = 'any' }: WorldOptions = {}): Promise<World> {
  const said: string[] = [];
  const log = (_: object, text: string) => void said.push(text);
  let [nowMs, passedMs] = [Date.now(), 0];
  const kept = await openCatalog({ dbPath: IN_MEMORY, log: silent, limits: { submitBudgetMs: 20_000 } });
  const prover = startProver({
    catalog: kept,
    reach,
    userAgent: 'test',
    log: { info: log, warn: log },
    limits: { startEveryMs: 5, spacingMs: 0, ...limits },
    now: () => nowMs,
    elapsed: () => passedMs,
  });
  const catalog = heardBy(prover, kept);
  const listings = async () =>
    (await readPage<DiscoveryListResponse>(await kept.list({ filters: {}, limit: 100 }))).items;
  let isClosed = false;
  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await prover.close();
    await kept.close();
  }
  onTestFinished(close);
  return {
    catalog,
    async pay(origin, key, payTo, changes) {
      const outcome = await catalog.submit({ ...sold(key, { payTo, origin: origin.url }), ...changes });
      return outcome?.code;
    },
    listings,
    verified: async () => (await listings()).map(({ verified }) => verified?.by),
    pass: (ms) => void ((nowMs += ms), (passedMs += ms)),
    setBack: (ms) => void (nowMs -= ms),
    said,
    close,
  };
}
