import { readResourceUrl, type Catalog, type SettledPayment } from '../catalog/index.ts';
import type { BazaarOutcome } from '../contract/index.ts';
import { createOutgoing } from '../net/outgoing.ts';
import type { Reach } from '../net/reach.ts';
import { canProve, createAsk } from './ask.ts';
import { createContest } from './contest.ts';
import { PROOF_LIMITS, type ProofLimits } from './limits.ts';
import { createListings } from './listings.ts';
import { createLooks, type Look } from './looks.ts';
import { createProve, type ProofLog } from './prove.ts';
import { createRenewal } from './renewal.ts';

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
  /** Unix time in ms. */
  now?: (() => number) | undefined;
  /** Milliseconds that never decrease. */
  elapsed?: (() => number) | undefined;
}

export function startProver({
  catalog,
  reach,
  userAgent,
  log,
  limits: changes,
  now = Date.now,
  elapsed = () => performance.now(),
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
  const contest = createContest({ submit: catalog.submit, ask, log, limits, now, closing: closing.signal });
  const looks = createLooks(limits, elapsed);
  const renew = createRenewal({ proofs, looks, limits, now, elapsed });
  const underWay = new Set<Promise<void>>();

  async function look(taken: Look): Promise<void> {
    const { contested } = taken;
    const ending = contested === undefined ? prove(taken) : contest(taken, contested);
    looks.ended(taken, await ending);
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
      const taken = lookAfter(settled, outcome);
      if (taken !== undefined && canProve(new URL(taken.resource), reach)) looks.add(taken);
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await Promise.all(underWay);
      await outgoing.close();
    },
  };
}

/** Returns the look that a settled payment gives reason to. */
function lookAfter(settled: SettledPayment, outcome: BazaarOutcome | undefined): Look | undefined {
  const isContested = outcome?.code === 'bazaar_listing_owned_by_other_payee';
  if (outcome?.status !== 'success' && !isContested) return undefined;
  const url = readResourceUrl(settled.resource);
  if ('code' in url) return undefined;
  const { payTo } = settled.requirements;
  const look = { origin: url.origin, payTo, resource: url.origin + url.pathname };
  return isContested ? { ...look, contested: settled } : look;
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
