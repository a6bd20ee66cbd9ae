import { readResourceUrl, type Catalog, type ProofPlace, type SettledPayment } from '../catalog/index.ts';
import type { BazaarOutcome } from '../contract/index.ts';
import { createOutgoing } from '../net/outgoing.ts';
import type { Reach } from '../net/reach.ts';
import { canProve, createAsk } from './ask.ts';
import { PROOF_LIMITS, type ProofLimits } from './limits.ts';
import { createListings } from './listings.ts';
import { createLooks, type Look } from './looks.ts';
import { createProve, type ProofLog } from './prove.ts';

/** Looks at the origins of listings, apart from payments: nothing waits for it. */
export interface Prover {
  /** Hears what became of a settled payment in the catalog. Returns at once, and never throws. */
  heard(settled: SettledPayment, outcome: BazaarOutcome | undefined): void;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

export interface ProverDeps {
  catalog: Pick<Catalog, 'proofs' | 'submit'>;
  /** Origins that are asked: those of the public internet, or also those of a network of one's own. */
  reach: Reach;
  userAgent: string;
  log: ProofLog;
  limits?: Partial<ProofLimits> | undefined;
  now?: (() => number) | undefined;
}

/** Where the proofs that end first stand. */
const START: ProofPlace = { until: 0, id: 0 };

export function startProver({
  catalog,
  reach,
  userAgent,
  log,
  limits: changes,
  now = Date.now,
}: ProverDeps): Prover {
  const limits = { ...PROOF_LIMITS, ...changes };
  const closing = new AbortController();
  const outgoing = createOutgoing({
    userAgent,
    maxConnections: 1,
    silenceTimeoutMs: limits.requestTimeoutMs,
    ...limits,
  });
  const ask = createAsk({ fetch: outgoing.fetch, reach, limits });
  const { proofs } = catalog;
  const listings = createListings({ proofs, limits, now });
  const prove = createProve({ listings, ask, log, limits, closing: closing.signal });
  const looks = createLooks(limits, now);
  const renew = createRenewal({ proofs, looks, limits, now });
  const underWay = new Set<Promise<void>>();

  async function look(taken: Look): Promise<void> {
    looks.ended(taken, await prove(taken));
  }

  function start(work: () => Promise<void>): void {
    const ended = work().catch((err: unknown) => {
      if (!closing.signal.aborted) log.warn({ err }, 'a look at an origin failed');
    });
    underWay.add(ended);
    void ended.then(() => underWay.delete(ended));
  }

  const timer = setInterval(() => {
    while (underWay.size < limits.maxAtOnce) {
      const next = looks.next();
      if (next === undefined) break;
      start(() => look(next));
    }
    start(renew);
  }, limits.startEveryMs).unref();

  return {
    heard(settled, outcome) {
      if (outcome?.status !== 'success') return;
      const url = readResourceUrl(settled.resource);
      if ('code' in url || !canProve(url, reach)) return;
      const resource = url.origin + url.pathname;
      looks.add({ origin: url.origin, payTo: settled.requirements.payTo, resource });
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await Promise.all(underWay);
      await outgoing.close();
    },
  };
}

/** Returns the catalog, whose outcomes the prover hears. */
export function heardBy(prover: Pick<Prover, 'heard'>, catalog: Catalog): Catalog {
  return {
    ...catalog,
    async submit(settled) {
      const outcome = await catalog.submit(settled);
      prover.heard(settled, outcome);
      return outcome;
    },
  };
}

interface RenewalDeps {
  proofs: Catalog['proofs'];
  looks: Pick<ReturnType<typeof createLooks>, 'add' | 'hasRoom'>;
  limits: ProofLimits;
  now: () => number;
}

/** Returns a function that adds looks for proofs that end soon, a page at a time while there is room. */
function createRenewal({ proofs, looks, limits, now }: RenewalDeps): () => Promise<void> {
  let after = START;
  let nextRoundMs = -Infinity;
  let isReading = false;

  return async () => {
    if (isReading || !looks.hasRoom || now() < nextRoundMs) return;
    isReading = true;
    try {
      const untilBefore = now() + limits.validForMs - limits.renewAfterMs;
      const { listings, next } = await proofs.ending({ untilBefore, after });
      for (const listing of listings) looks.add(listing);
      after = next ?? START;
      if (next === undefined) nextRoundMs = now() + limits.roundMs;
    } catch (error) {
      nextRoundMs = now() + limits.roundMs;
      throw error;
    } finally {
      isReading = false;
    }
  };
}
