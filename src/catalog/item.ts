import type { DiscoveryResource, PaymentRequirements } from '../contract/index.ts';
import { ACCEPTS_LIMIT_BYTES, MAX_TERMS_PER_KIND, TERMS_LIMIT_BYTES } from './limits.ts';
import type { Settlement } from './store.ts';

export const X402_VERSION = 2;

/**
 * The listing after a settlement (specification 3): what was declared now wins, what was not declared stays as it
 * was, and the terms add up.
 */
export function itemAfter(settlement: Settlement, before: DiscoveryResource | undefined): DiscoveryResource {
  const { declaration, requirements, settledAt } = settlement;
  const { resource, type, metadata, bazaar } = declaration;
  const item = {
    ...before,
    resource,
    type,
    x402Version: X402_VERSION,
    accepts: termsAfter(boundedTerms(requirements), before?.accepts ?? []),
    lastUpdated: settledAt.toISOString(),
    ...(metadata as Partial<DiscoveryResource>),
    extensions: { bazaar },
  };
  return marked(item, settlement);
}

/** The same for a settlement that is listed after a later one: it adds what that one left open, and changes nothing. */
export function itemBefore(settlement: Settlement, after: DiscoveryResource): DiscoveryResource {
  return withTerms(settlement, {
    ...(settlement.declaration.metadata as Partial<DiscoveryResource>),
    ...after,
  });
}

/** The listing with the terms of one more settlement, which make no room among its own. */
export function withTerms(settlement: Settlement, item: DiscoveryResource): DiscoveryResource {
  const accepts = termsBefore(boundedTerms(settlement.requirements), item.accepts);
  return marked({ ...item, accepts }, settlement);
}

/** True if somebody has paid in a Stellar asset contract. All others can claim payments that were none. */
export function isVerified({ accepts, unverifiedAssets = [] }: DiscoveryResource): boolean {
  return accepts.some(({ asset }) => !unverifiedAssets.includes(asset));
}

/** The listing's terms alone. */
export function onlyTerms({ accepts, unverifiedAssets, ...item }: DiscoveryResource): DiscoveryResource {
  const { resource, type, x402Version, lastUpdated } = item;
  return {
    ...{ resource, type, x402Version, accepts, lastUpdated },
    ...(unverifiedAssets !== undefined && { unverifiedAssets }),
  };
}

/** Adds the assets that are not known to be Stellar asset contracts, as long as any terms name them. */
function marked(item: DiscoveryResource, { requirements, isStellarAsset }: Settlement): DiscoveryResource {
  const { unverifiedAssets: known = [], ...unmarked } = item;
  const others = known.filter((asset) => asset !== requirements.asset);
  const assets = isStellarAsset ? others : [...others, requirements.asset];
  const unverifiedAssets = assets.filter((asset) => item.accepts.some((terms) => terms.asset === asset));
  return unverifiedAssets.length === 0 ? unmarked : { ...unmarked, unverifiedAssets };
}

/** Without duplicates, in the order in which they were first paid. */
function termsAfter(
  paid: PaymentRequirements,
  before: readonly PaymentRequirements[],
): PaymentRequirements[] {
  if (isAmong(before, paid)) return [...before];
  const sameKind = sameKindIn(before, paid);
  const dropped = sameKind.length >= MAX_TERMS_PER_KIND ? sameKind[0] : undefined;
  const terms = [...before.filter((known) => known !== dropped), paid];
  while (!areShort(terms)) terms.shift();
  return terms;
}

function termsBefore(
  paid: PaymentRequirements,
  after: readonly PaymentRequirements[],
): PaymentRequirements[] {
  const isLeftOut = isAmong(after, paid) || sameKindIn(after, paid).length >= MAX_TERMS_PER_KIND;
  const terms = isLeftOut ? [...after] : [paid, ...after];
  return areShort(terms) ? terms : [...after];
}

function areShort(terms: readonly PaymentRequirements[]): boolean {
  return Buffer.byteLength(JSON.stringify(terms)) <= ACCEPTS_LIMIT_BYTES;
}

function isAmong(terms: readonly PaymentRequirements[], paid: PaymentRequirements): boolean {
  const text = canonical(paid);
  return terms.some((known) => canonical(known) === text);
}

function sameKindIn(
  terms: readonly PaymentRequirements[],
  paid: PaymentRequirements,
): readonly PaymentRequirements[] {
  return terms.filter((known) => kindOf(known) === kindOf(paid));
}

/** What the filters of the discovery endpoints can tell apart. */
function kindOf({ scheme, network, payTo }: PaymentRequirements): string {
  return JSON.stringify([scheme, network, payTo]);
}

/** Sellers may add anything to their terms; a listing does not carry it all. */
export function boundedTerms(terms: PaymentRequirements): PaymentRequirements {
  if (Buffer.byteLength(JSON.stringify(terms)) <= TERMS_LIMIT_BYTES) return terms;
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds } = terms;
  return { scheme, network, asset, amount, payTo, maxTimeoutSeconds };
}

/** JSON with the keys in order: the same terms give the same text, however they were written. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
