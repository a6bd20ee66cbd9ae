import { isDeepStrictEqual } from 'node:util';
import type { DiscoveryResource } from '../contract/index.ts';
import { parameterText } from './declaration/parameterText.ts';
import { isVerified, itemAfter, itemBefore, onlyTerms, withTerms } from './item.ts';
import { CONFIRMED_FOR_MS } from './limits.ts';
import { payersAfter } from './payers.ts';
import { mayBeNamed } from './proofs.ts';
import { wordingOf, type SearchText, type Wording } from './search/wording.ts';
import type { SellerDescription } from './sellers.ts';
import type { LedgerClose, Settlement } from './store.ts';

/** A listing as a settlement finds it. */
export interface Known {
  readonly owner: string;
  /** Undefined if the row is damaged. The listing's next sale writes it again. */
  readonly item: DiscoveryResource | undefined;
  /** The ledger of its latest settlement. */
  readonly close: LedgerClose | undefined;
  /** See payers.ts. */
  readonly payers: string | null;
}

/** A listing as a settlement leaves it. */
export interface Decided {
  readonly item: DiscoveryResource;
  readonly close: LedgerClose | undefined;
  readonly payers: string | null;
}

/**
 * Returns the listing after a settlement. The recipient that was paid first owns it; others cannot change it, unless the
 * origin names them and not the owner. An imported listing has no owner: the settlement leaves nothing of it.
 */
export function decide(settlement: Settlement, known: Known | undefined): Decided | 'owned by another' {
  if (known === undefined || known.item?.source !== undefined) return begun(settlement);
  if (known.owner === settlement.requirements.payTo)
    return {
      ...refreshed(settlement, known.item, known.close),
      payers: payersAfter(known.payers, settlement),
    };
  return moved(settlement, known.owner) ?? 'owned by another';
}

const begun = (settlement: Settlement): Decided => ({
  item: itemAfter(settlement, undefined),
  close: settlement.ledgerClose,
  payers: payersAfter(null, settlement),
});

/** Returns the listing as its new owner declares it, without what the earlier one said. */
function moved(settlement: Settlement, owner: string): Decided | undefined {
  const { claim } = settlement;
  if (claim === undefined || mayBeNamed(owner, claim.named)) return undefined;
  const { verified } = claim;
  const movedFrom = { payTo: owner, at: verified.at };
  const decided = begun(settlement);
  return { ...decided, item: { ...decided.item, verified, movedFrom } };
}

function refreshed(
  settlement: Settlement,
  before: DiscoveryResource | undefined,
  close: LedgerClose | undefined,
): Omit<Decided, 'payers'> {
  const { isStellarAsset, ledgerClose } = settlement;
  if (before === undefined) return { item: itemAfter(settlement, before), close: ledgerClose };
  // Anyone can create a token for free: payments in it must not decide what other people's listings say.
  if (!isStellarAsset && isVerified(before)) return { item: withTerms(settlement, before), close };
  if (isStellarAsset && !isVerified(before))
    return { item: itemAfter(settlement, onlyTerms(before)), close: ledgerClose };
  if (isBefore(ledgerClose, close)) return { item: itemBefore(settlement, before), close };
  return { item: itemAfter(settlement, before), close: ledgerClose };
}

/**
 * Returns the listing after its recipient has signed what it says; undefined if its row is damaged. That confirms it, but
 * proves nothing: whoever claims another's URL holds the key of its own account, too.
 */
export function describedAs(
  { item, ...others }: Known,
  { metadata, signedAtMs }: Pick<SellerDescription, 'metadata' | 'signedAtMs'>,
): Decided | undefined {
  const confirmed = {
    at: new Date(signedAtMs).toISOString(),
    until: new Date(signedAtMs + CONFIRMED_FOR_MS).toISOString(),
  };
  return item && { item: { ...item, ...(metadata as Partial<DiscoveryResource>), confirmed }, ...others };
}

/** Compares ledger numbers. False if the lower number closed later: the network was then reset in between. */
function isBefore(one: LedgerClose | undefined, other: LedgerClose | undefined): boolean {
  return (
    one !== undefined && other !== undefined && one.ledger < other.ledger && one.seconds <= other.seconds
  );
}

/** Returns the words that a listing is found by. */
export function wordingIn(item: DiscoveryResource): Wording {
  return wordingOf(searchTextIn(item));
}

/**
 * True if a listing says something else now. Compares texts and not only words: the hybrid ranking also depends on
 * capitals and punctuation.
 */
export function saysOther(before: DiscoveryResource | undefined, after: DiscoveryResource): boolean {
  return before === undefined || !isDeepStrictEqual(searchTextIn(before), searchTextIn(after));
}

export function searchTextIn({ type, extensions, ...item }: DiscoveryResource): SearchText {
  const { serviceName = '', tags = [], description = '' } = item;
  const parameters = parameterText({ type, bazaar: extensions?.bazaar ?? {} });
  return { serviceName, tags, description, parameters };
}
