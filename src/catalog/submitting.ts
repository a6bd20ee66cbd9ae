import type { BazaarOutcome } from '../contract/index.ts';
import type { Catalog } from './catalog.ts';
import { checkExtensionsSize } from './declaration/extension.ts';
import { UNGUARDED_LIMIT_CHARS2 } from './declaration/limits.ts';
import { evaluationCost } from './declaration/schema/cost.ts';
import { ADDRESS_SHOWN_CHARS, type CatalogLimits } from './limits.ts';
import type { CatalogRefusal, SettledPayment } from './listing.ts';
import { carriesBazaar } from './listingText.ts';
import type { CatalogLog } from './log.ts';
import type { CatalogObserver } from './observer.ts';
import type { Submission } from './operations.ts';
import type { Wait } from './pool.ts';
import type { Overloaded } from './queue.ts';

export interface SubmittingDeps {
  /** Writes a listing. Returns undefined if it was written. */
  submit: (submission: Submission, wait: Wait) => Promise<CatalogRefusal | Overloaded | undefined>;
  observer: Pick<CatalogObserver, 'submitted'>;
  log: CatalogLog;
  limits: Pick<CatalogLimits, 'submitBudgetMs'>;
}

/** Submits settled payments. */
export interface Submitting {
  submit: Catalog['submit'];
  /** True if the last payment could not be submitted because the catalog failed. */
  hasFailed(): boolean;
}

export function createSubmitting({
  submit,
  observer,
  log,
  limits: { submitBudgetMs },
}: SubmittingDeps): Submitting {
  let faults = 0;
  let hasFailed = false;

  /** Carries on after the settlement stops waiting, unless the declaration is costly and has not been started. */
  async function outcomeOf(settled: SettledPayment, late: AbortSignal): Promise<BazaarOutcome | undefined> {
    const { extensions = null, refusal: known, settledAt = new Date(), ...facts } = settled;
    const extensionsText = JSON.stringify(extensions);
    const refusal = known ?? checkExtensionsSize(extensionsText);
    if (refusal !== undefined) return rejected(refusal);
    try {
      const submission = { extensionsText, settledAt, ...facts };
      const refused = await submit(submission, waitOf(extensions, late));
      if (refused?.code !== 'svc_overloaded') {
        hasFailed = false;
        return refused === undefined ? { status: 'success' } : rejected(refused);
      }
      if (late.aborted) return undefined;
      throw new Error('too many declarations wait, or they take too long');
    } catch (err) {
      faults += 1;
      hasFailed = true;
      log.error({ err, faults, resource: shownAddress(settled.resource) }, 'cataloging failed');
      return undefined;
    }
  }

  async function submitAndLog(
    settled: SettledPayment,
    late: AbortSignal,
  ): Promise<BazaarOutcome | undefined> {
    const startedAtMs = performance.now();
    const outcome = await outcomeOf(settled, late);
    const tookMs = performance.now() - startedAtMs;
    observer.submitted(outcome?.status ?? 'failed', outcome?.code, tookMs);
    if (outcome !== undefined) logOutcome(log, settled, outcome, tookMs);
    return outcome;
  }

  return {
    hasFailed: () => hasFailed,
    async submit(settled) {
      if (settled.refusal === undefined && !carriesBazaar(settled.extensions)) return undefined;
      const late = new AbortController();
      return withinBudget(submitAndLog(settled, late.signal), submitBudgetMs, () => {
        log.warn({ budgetMs: submitBudgetMs }, 'cataloging takes longer than a settlement waits for it');
        late.abort();
      });
    },
  };
}

function logOutcome(log: CatalogLog, settled: SettledPayment, outcome: BazaarOutcome, tookMs: number): void {
  const { status, code, rejectedReason: reason } = outcome;
  const { payTo } = settled.requirements;
  const durationMs = Math.round(tookMs);
  const resource = shownAddress(settled.resource);
  log.info({ status, ...(code && { code, reason }), resource, payTo, durationMs }, 'cataloged');
}

function rejected({ code, message }: CatalogRefusal): BazaarOutcome {
  return { status: 'rejected', rejectedReason: message, code };
}

/**
 * Cheap declarations are all equal, and are written even if their settlement has stopped waiting. Costly ones come
 * after them, and are not started if their settlement has stopped waiting: they are submitted again later.
 */
function waitOf(extensions: unknown, late: AbortSignal): Wait {
  const { bazaar } = extensions as { bazaar?: { schema?: unknown; info?: unknown } | null };
  const cost = evaluationCost(bazaar?.schema, bazaar?.info);
  return cost <= UNGUARDED_LIMIT_CHARS2 ? {} : { cost, gone: late };
}

/** Returns undefined if the outcome does not come in time. */
async function withinBudget<T>(
  outcome: Promise<T>,
  budgetMs: number,
  onLate: () => void,
): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  let isSettled = false;
  const timer = setTimeout(() => {
    // If this thread was blocked, the answer may have arrived without being read: read it first.
    setImmediate(() => {
      if (!isSettled) onLate();
      resolve(undefined);
    });
  }, budgetMs);
  try {
    return await Promise.race([outcome, late]);
  } finally {
    isSettled = true;
    clearTimeout(timer);
  }
}

/** Returns the resource's address for the log: without query and credentials, and shortened. */
function shownAddress(resource: unknown): string | undefined {
  const { url } = (resource ?? {}) as { url?: unknown };
  const address = typeof url === 'string' ? URL.parse(url) : undefined;
  return address ? `${address.origin}${address.pathname}`.slice(0, ADDRESS_SHOWN_CHARS) : undefined;
}
