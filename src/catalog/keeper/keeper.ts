import { ACTOR_LIMIT_CHARACTERS, REASON_LIMIT_CHARACTERS } from '../limits.ts';
import { coveringKeys, isAddress, readOrigin, type BlockTarget } from './target.ts';
import type {
  Block,
  BlockOutcome,
  BlockRequest,
  KeeperAct,
  KeeperReads,
  RecordedAct,
  KeeperRefusal,
  KeeperWrites,
  KeptDetail,
  KeptPage,
  KeptRequest,
  ListingOutcome,
  Progress,
  ActsRequest,
} from './types.ts';

/**
 * Lets the operator keep listings and sellers out of the catalog. Rejects if the store fails or is overloaded.
 */
export interface Keeper {
  list(request: KeptRequest): Promise<KeptPage | KeeperRefusal>;
  show(id: number): Promise<KeptDetail | KeeperRefusal>;
  /** Takes a listing out of lists and searches. Payments still update it. */
  hide(id: number, act: KeeperAct): Promise<KeeperRefusal | undefined>;
  unhide(id: number, act: KeeperAct): Promise<KeeperRefusal | undefined>;
  /** Deletes a listing. A later payment lists it again, for whoever is paid. */
  remove(id: number, act: KeeperAct): Promise<KeeperRefusal | undefined>;
  /** Hides the listings of an origin or a recipient, and refuses new ones. If it is cut off, the next start or a second call finishes it. */
  block(target: BlockTarget, act: KeeperAct, onProgress?: Progress): Promise<Blocked | KeeperRefusal>;
  unblock(target: BlockTarget, act: KeeperAct, onProgress?: Progress): Promise<Blocked | KeeperRefusal>;
  blocks(): Promise<readonly Block[]>;
  /** Returns what was done, latest first. */
  acts(request: ActsRequest): Promise<readonly RecordedAct[]>;
}

export interface Blocked {
  readonly target: BlockTarget;
  /** The listings that it covers; undefined if they are kept elsewhere. */
  readonly listings: number | undefined;
}

/** Allows letters, digits, signs and spaces of any language, and nothing that could change what a terminal shows. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;

export function createKeeper(reads: KeeperReads, writes: KeeperWrites): Keeper {
  return {
    async list({ origin, ...request }) {
      const read = origin === undefined ? undefined : readTarget({ kind: 'origin', value: origin });
      if (read !== undefined && 'code' in read) return read;
      return reads.listings({ ...request, origin: read?.value });
    },
    async show(id) {
      const found = await reads.listing(id);
      if (found === undefined) return unknown(id);
      const { resource, payTo: owner } = found.listing;
      const acts = await reads.actsOf({ listing: id, keys: coveringKeys({ resource, owner }) });
      return { ...found, acts };
    },
    hide: (id, act) =>
      onListing(id, act, HIDDEN_ALREADY, (checked) => writes.setHidden({ id, isHidden: true, act: checked })),
    unhide: (id, act) =>
      onListing(id, act, NOT_HIDDEN, (checked) => writes.setHidden({ id, isHidden: false, act: checked })),
    remove: (id, act) => onListing(id, act, unknown(id), (checked) => writes.remove({ id, act: checked })),
    block: (target, act, onProgress = ignore) =>
      onTarget(target, act, (request) => writes.block(request, onProgress)),
    unblock: (target, act, onProgress = ignore) =>
      onTarget(target, act, (request) => writes.unblock(request, onProgress)),
    blocks: () => reads.blocks(),
    acts: (request) => reads.acts(request),
  };
}

async function onListing(
  id: number,
  act: KeeperAct,
  alreadyDone: KeeperRefusal,
  carryOut: (act: KeeperAct) => Promise<ListingOutcome>,
): Promise<KeeperRefusal | undefined> {
  const refusal = refusalOf(act);
  if (refusal !== undefined) return refusal;
  const outcome = await carryOut(trimmed(act));
  if (outcome === 'unknown') return unknown(id);
  return outcome === 'done' ? undefined : alreadyDone;
}

async function onTarget(
  target: BlockTarget,
  act: KeeperAct,
  carryOut: (request: BlockRequest) => Promise<BlockOutcome>,
): Promise<Blocked | KeeperRefusal> {
  const read = readTarget(target);
  if ('code' in read) return read;
  const refusal = refusalOf(act);
  if (refusal !== undefined) return refusal;
  const outcome = await carryOut({ target: read, act: trimmed(act) });
  if (outcome === 'not blocked') return NOT_BLOCKED;
  return outcome === 'too many blocks' ? TOO_MANY_BLOCKS : { target: read, ...outcome };
}

const ignore = (): void => {};

function refusalOf({ reason, actor }: KeeperAct): KeeperRefusal | undefined {
  if (!isLine(reason, REASON_LIMIT_CHARACTERS))
    return invalid(`The reason must be one line of 1 to ${REASON_LIMIT_CHARACTERS} printable characters.`);
  if (!isLine(actor, ACTOR_LIMIT_CHARACTERS))
    return invalid(`The name must have 1 to ${ACTOR_LIMIT_CHARACTERS} printable characters.`);
  return undefined;
}

const isLine = (text: string, max: number): boolean =>
  text.trim() !== '' && text.length <= max && PRINTABLE.test(text);

const invalid = (message: string): KeeperRefusal => ({ code: 'keeper_invalid_act', message });

const trimmed = ({ reason, source, actor }: KeeperAct): KeeperAct => ({
  reason: reason.trim(),
  source,
  actor: actor.trim(),
});

/** Returns the target in the form in which it is stored. */
function readTarget({ kind, value }: BlockTarget): BlockTarget | KeeperRefusal {
  if (kind === 'recipient')
    return isAddress(value)
      ? { kind, value }
      : { code: 'keeper_invalid_target', message: 'The recipient must be an address: G…, C…, M… or W….' };
  const origin = readOrigin(value);
  if (origin !== undefined) return { kind, value: origin };
  const message =
    'The origin must be a scheme, a host and optionally a port, such as https://api.example.com.';
  return { code: 'keeper_invalid_target', message };
}

function unknown(id: number): KeeperRefusal {
  return { code: 'keeper_unknown_listing', message: `There is no listing ${id}, or it was removed.` };
}

const HIDDEN_ALREADY: KeeperRefusal = {
  code: 'keeper_already_done',
  message: 'You already hide this listing.',
};
const NOT_HIDDEN: KeeperRefusal = {
  code: 'keeper_already_done',
  message:
    'You do not hide this listing by itself. If its origin or recipient is blocked, unblock that. If its seller hides it, only the seller can show it again.',
};
const NOT_BLOCKED: KeeperRefusal = { code: 'keeper_not_blocked', message: 'This is not blocked.' };
const TOO_MANY_BLOCKS: KeeperRefusal = {
  code: 'keeper_too_many_blocks',
  message: 'No more origins and recipients can be blocked: unblock some first.',
};
