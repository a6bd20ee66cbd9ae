import type { DiscoveryResource, PaymentRequirements } from '../contract/index.ts';
import { ACCEPTS_LIMIT_BYTES, MAX_TERMS_PER_KIND, TERMS_LIMIT_BYTES } from './limits.ts';
import type { Settlement } from './store.ts';

export const X402_VERSION = 2;

/**
 * Returns the listing after a settlement. Declared fields replace earlier values, fields that were not declared keep
 * theirs, and the terms add up. A mark of an earlier check is gone.
 */
export function itemAfter(
  settlement: Settlement,
  before: Partial<DiscoveryResource> | undefined,
): DiscoveryResource {
  const { declaration, requirements, settledAt } = settlement;
  const { resource, type, metadata, bazaar } = declaration;
  const { stale: _, ...kept } = before ?? {};
  const item = {
    ...kept,
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

/** Returns the listing after a settlement that is older than its latest one. Only adds what the later ones left out. */
export function itemBefore(settlement: Settlement, after: DiscoveryResource): DiscoveryResource {
  return withTerms(settlement, {
    ...(settlement.declaration.metadata as Partial<DiscoveryResource>),
    ...after,
  });
}

/** Returns the listing with the terms of one more settlement. They do not push out terms that it already has. */
export function withTerms(settlement: Settlement, item: DiscoveryResource): DiscoveryResource {
  const accepts = termsBefore(boundedTerms(settlement.requirements), item.accepts);
  return marked({ ...item, accepts }, settlement);
}

/** True if somebody has paid in a Stellar asset contract. Any other contract can claim payments that never happened. */
export function isVerified({ accepts, unverifiedAssets = [] }: DiscoveryResource): boolean {
  return accepts.some(({ asset }) => !unverifiedAssets.includes(asset));
}

/** Returns the listing without metadata and extensions: what no payment for it declared. */
export function onlyTerms(item: DiscoveryResource): Partial<DiscoveryResource> {
  const { accepts, unverifiedAssets, verified, confirmed, movedFrom } = item;
  return {
    accepts,
    ...(unverifiedAssets !== undefined && { unverifiedAssets }),
    ...(verified !== undefined && { verified }),
    ...(confirmed !== undefined && { confirmed }),
    ...(movedFrom !== undefined && { movedFrom }),
  };
}

/** Marks the assets that are not known to be Stellar asset contracts, as long as any terms name them. */
function marked(item: DiscoveryResource, { requirements, isStellarAsset }: Settlement): DiscoveryResource {
  const { unverifiedAssets: known = [], ...unmarked } = item;
  const others = known.filter((asset) => asset !== requirements.asset);
  const assets = isStellarAsset ? others : [...others, requirements.asset];
  const unverifiedAssets = assets.filter((asset) => item.accepts.some((terms) => terms.asset === asset));
  return unverifiedAssets.length === 0 ? unmarked : { ...unmarked, unverifiedAssets };
}

/** Returns the terms without duplicates, in the order in which they were first paid. Drops the oldest if too many. */
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
  const text = canonicalJson(paid);
  return terms.some((known) => canonicalJson(known) === text);
}

function sameKindIn(
  terms: readonly PaymentRequirements[],
  paid: PaymentRequirements,
): readonly PaymentRequirements[] {
  return terms.filter((known) => kindOf(known) === kindOf(paid));
}

/** Returns the part of the terms that the discovery filters can tell apart. */
function kindOf({ scheme, network, payTo }: PaymentRequirements): string {
  return JSON.stringify([scheme, network, payTo]);
}

/** Drops additional fields from terms that are too large: sellers may add anything to them. */
export function boundedTerms(terms: PaymentRequirements): PaymentRequirements {
  if (Buffer.byteLength(JSON.stringify(terms)) <= TERMS_LIMIT_BYTES) return terms;
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds } = terms;
  return { scheme, network, asset, amount, payTo, maxTimeoutSeconds };
}

/** Returns JSON with sorted keys: equal values give the same text, however they were written. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
