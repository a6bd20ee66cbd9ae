import type { CatalogLimits } from '../limits.ts';
import type { CatalogRefusal } from '../listing.ts';
import { NOT_SHOWN, TOO_MANY_NEW, type Submission } from '../operations.ts';
import type { Pool, Wait } from '../pool.ts';
import type { Overloaded } from '../queue.ts';
import type { SellerDescription } from '../sellers.ts';
import type { Current, LogBatch, LogListing, Proposal } from '../store.ts';
import type { Follower } from './follower.ts';
import type { SharedLog, Written } from './log.ts';

export interface SharedWritesDeps {
  shared: Pick<SharedLog, 'write'>;
  follower: Pick<Follower, 'written'>;
  writer: Pick<Pool, 'ask'>;
  limits: Pick<CatalogLimits, 'maxLogAttempts' | 'ownWriteWaitMs'>;
}

type Refused = CatalogRefusal | Overloaded;
/** A listing as it was written. */
type Taken = Extract<Written, { batch: LogBatch }>;
type Propose = (current: Current) => Promise<Proposal | Refused>;

/** Writes listings into the shared log. Returns undefined if it did. */
export interface SharedWrites {
  submit(submission: Submission, wait: Wait): Promise<Refused | undefined>;
  describe(description: SellerDescription, wait: Wait): Promise<Refused | undefined>;
}

/**
 * Writes listings into the shared log, and waits a short while until this instance has them, too. A listing is computed
 * from what the index has. If the log has something newer, it is computed again from that.
 */
export function createSharedWrites({ shared, follower, writer, limits }: SharedWritesDeps): SharedWrites {
  /** The listings that are being written, and what is written last: others wait instead of competing. */
  const underWay = new Map<string, Promise<LogListing | undefined>>();

  /** Waits for the other writes of the listing. Returns a proposal that follows the last of them. */
  async function proposeInTurn(propose: Propose): Promise<Proposal | Refused> {
    let proposal = await propose(undefined);
    for (;;) {
      const other = 'code' in proposal ? undefined : underWay.get(proposal.key);
      if (other === undefined) return proposal;
      proposal = await propose(await other);
    }
  }

  async function write(
    proposal: Proposal,
    propose: Propose,
    transaction: string | undefined,
  ): Promise<Taken | Refused> {
    let next = proposal;
    for (let attempts = 1; attempts <= limits.maxLogAttempts; attempts += 1) {
      const written = await shared.write(next, transaction);
      if (written === 'too many new') return TOO_MANY_NEW;
      if (written === 'blocked') return NOT_SHOWN;
      if ('batch' in written) return written;
      const again = await propose(written.current);
      if ('code' in again) return again;
      next = again;
    }
    throw new Error('other instances keep writing the same listing');
  }

  async function list(propose: Propose, transaction?: string): Promise<Refused | undefined> {
    const proposal = await proposeInTurn(propose);
    if ('code' in proposal) return proposal;
    const { key } = proposal;
    const writing = write(proposal, propose, transaction);
    const entry = writing.then(
      (result) => ('code' in result ? undefined : result.batch.entries[0]),
      () => undefined,
    );
    underWay.set(key, entry);
    void entry.then(() => underWay.get(key) === entry && underWay.delete(key));
    const result = await writing;
    if ('code' in result) return result;
    await follower.written(result.batch, limits.ownWriteWaitMs);
    return result.isHidden ? NOT_SHOWN : undefined;
  }

  return {
    submit: (submission, wait) =>
      list((current) => writer.ask('propose', { submission, current }, wait), submission.transaction),
    describe: (description, wait) =>
      list((current) => writer.ask('proposeDescription', { description, current }, wait)),
  };
}
