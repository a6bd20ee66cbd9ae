import type { CatalogLimits } from '../limits.ts';
import type { CatalogRefusal } from '../listing.ts';
import { NOT_SHOWN, TOO_MANY_NEW, type Submission } from '../operations.ts';
import { PROOF, type Pool, type Wait } from '../pool.ts';
import type { Overloaded } from '../queue.ts';
import type { RecordRequest } from '../proofs.ts';
import type { SellerDescription } from '../sellers.ts';
import type { Current, LogBatch, LogListing, Proposal } from '../store.ts';
import type { Follower } from './follower.ts';
import type { Outdated, SharedLog, Written } from './log.ts';

export interface SharedWritesDeps {
  shared: Pick<SharedLog, 'write' | 'writeSigned'>;
  follower: Pick<Follower, 'written'>;
  writer: Pick<Pool, 'ask'>;
  limits: Pick<CatalogLimits, 'maxLogAttempts' | 'ownWriteWaitMs'>;
}

/** A listing as it was written. */
type Taken = Extract<Written, { batch: LogBatch }>;
/** Computes a listing. What it returns instead has a code. */
type Propose<Refused> = (current: Current) => Promise<Proposal | Refused>;
/** Writes a proposal. What it returns instead has a code. */
type Put<Refused> = (proposal: Proposal) => Promise<Written | Refused>;
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

  async function writeInTurn<Refused extends Coded>(
    propose: Propose<Refused>,
    put: Put<Refused>,
  ): Promise<Refused | CatalogRefusal | undefined> {
    const proposal = await proposeInTurn(propose);
    if ('code' in proposal) return proposal;
    const { key } = proposal;
    const writing = writeOf({ proposal, propose, put }, limits.maxLogAttempts);
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
      writeInTurn(
        (current) => writer.ask('propose', { submission, current }, wait),
        (proposal) => shared.write(proposal, submission.transaction),
      ),
    describe: (description: SellerDescription, wait: Wait) =>
      writeInTurn<CatalogRefusal | Overloaded | Outdated>(
        (current) => writer.ask('proposeDescription', { description, current }, wait),
        (proposal) => shared.writeSigned(proposal, description.signedAtMs),
      ),
    recordProof: (request: RecordRequest) =>
      writeInTurn(
        (current) => writer.ask('proposeProof', { request, current }, PROOF),
        (proposal) => shared.write(proposal, undefined),
      ),
  };
}

interface Writing<Refused> {
  readonly proposal: Proposal;
  readonly propose: Propose<Refused>;
  readonly put: Put<Refused>;
}

/** Writes a proposal, and computes it again while others write the listing. */
async function writeOf<Refused extends Coded>(
  { proposal, propose, put }: Writing<Refused>,
  maxAttempts: number,
): Promise<Taken | Refused | CatalogRefusal> {
  let next = proposal;
  for (let attempts = 1; attempts <= maxAttempts; attempts += 1) {
    const written = await put(next);
    if (written === 'too many new') return TOO_MANY_NEW;
    if (written === 'blocked') return NOT_SHOWN;
    if ('batch' in written || 'code' in written) return written;
    const again = await propose(written.current);
    if ('code' in again) return again;
    next = again;
  }
  throw new Error('other instances keep writing the same listing');
}
