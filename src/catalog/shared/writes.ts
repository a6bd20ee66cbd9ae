import type { CatalogLimits } from '../limits.ts';
import type { CatalogRefusal } from '../listing.ts';
import { NOT_SHOWN, TOO_MANY_NEW, type Submission } from '../operations.ts';
import { PROOF, type Pool, type Wait } from '../pool.ts';
import type { RecordRequest } from '../proofs.ts';
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

/** A listing as it was written. */
type Taken = Extract<Written, { batch: LogBatch }>;
/** Computes a listing. What it returns instead has a code. */
type Propose<Refused> = (current: Current) => Promise<Proposal | Refused>;
type Coded = Readonly<Record<'code', string>>;

/**
 * Returns functions that write a listing, or a proof, into the shared log, and wait a short while until this instance
 * has it, too. A listing is computed from what the index has. If the log has something newer, it is computed again from
 * that.
 */
export function createSharedWrites({ shared, follower, writer, limits }: SharedWritesDeps) {
  /** The listings that are being written, and what is written last: others wait instead of competing. */
  const underWay = new Map<string, Promise<LogListing | undefined>>();

  /** Waits for the other writes of the listing. Returns a proposal that follows the last of them. */
  async function proposeInTurn<Refused extends Coded>(
    propose: Propose<Refused>,
  ): Promise<Proposal | Refused> {
    let proposal = await propose(undefined);
    for (;;) {
      const other = 'code' in proposal ? undefined : underWay.get(proposal.key);
      if (other === undefined) return proposal;
      proposal = await propose(await other);
    }
  }

  async function write<Refused extends Coded>(
    proposal: Proposal,
    propose: Propose<Refused>,
    transaction: string | undefined,
  ): Promise<Taken | Refused | CatalogRefusal> {
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

  async function writeInTurn<Refused extends Coded>(
    propose: Propose<Refused>,
    transaction?: string,
  ): Promise<Refused | CatalogRefusal | undefined> {
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
    submit: (submission: Submission, wait: Wait) =>
      writeInTurn((current) => writer.ask('propose', { submission, current }, wait), submission.transaction),
    describe: (description: SellerDescription, wait: Wait) =>
      writeInTurn((current) => writer.ask('proposeDescription', { description, current }, wait)),
    recordProof: (request: RecordRequest) =>
      writeInTurn((current) => writer.ask('proposeProof', { request, current }, PROOF)),
  };
}
