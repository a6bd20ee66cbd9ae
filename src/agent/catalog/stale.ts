import type { DiscoveryResource } from '../../contract/index.ts';
import { isObject, type JsonObject } from '../json.ts';
import { CATALOG_LIMITS } from '../limits.ts';
import { cleanText } from '../words.ts';

/** The mark of a listing that the facilitator's operator last found otherwise than it says. */
export interface StaleMark {
  readonly reason: string | null;
  readonly since: string | null;
  /** The reason in plain words. */
  readonly text: string;
}

type Reason = NonNullable<DiscoveryResource['stale']>['reason'];

const FOUND: Readonly<Record<Reason, string>> = {
  no_answer: 'did not answer',
  no_402: 'did not ask for a payment of x402 version 2',
  other_terms: 'asked for other terms than the listing shows',
};

const FOUND_BY_REASON: ReadonlyMap<unknown, string> = new Map(Object.entries(FOUND));

/** Returns undefined unless the listing is marked. A facilitator may know further reasons. */
export function staleMark({ stale }: JsonObject): StaleMark | undefined {
  if (!isObject(stale)) return undefined;
  const { reason, since } = stale;
  const found = FOUND_BY_REASON.get(reason) ?? 'was not as its listing says';
  return {
    reason: cleanText(reason, CATALOG_LIMITS.maxNameChars),
    since: cleanText(since, CATALOG_LIMITS.maxNameChars),
    text: `When the facilitator's operator last checked it, the resource ${found}.`,
  };
}
