import { isNamed, type Speaker, type Unproven } from '../catalog/index.ts';
import type { Ask, Place } from './ask.ts';
import type { ProofLimits } from './limits.ts';
import type { Listings } from './listings.ts';
import type { Look } from './looks.ts';

export interface ProveDeps {
  listings: Listings;
  ask: Ask;
  log: ProofLog;
  limits: Pick<ProofLimits, 'maxUrlsAsked'>;
  closing: AbortSignal;
}

export type ProofLog = Record<'info' | 'warn', (fields: object, text: string) => void>;

/** Says how a look ended. Silent: the origin did not answer. */
export type Ending = 'named' | 'not named' | 'silent' | 'nothing to prove';

/** What the files of an origin say of a recipient. */
type Said = 'well-known' | 'stellar-toml' | 'not named' | 'silent';

/**
 * Looks at an origin for a recipient's listings there that have no proof, or one that ends soon, and writes what it
 * finds. A file speaks for all of them, a 402 for its own URL.
 */
export function createProve({ listings, ask, log, limits, closing }: ProveDeps) {
  async function askFiles({ origin, payTo }: Speaker): Promise<Said> {
    let isSilent = true;
    for (const place of ['well-known', 'stellar-toml'] as const) {
      const { named, isCertain } = await ask(place, new URL(origin), closing);
      if (isNamed(payTo, named)) return place;
      isSilent &&= !isCertain;
    }
    return isSilent ? 'silent' : 'not named';
  }

  async function askUrls({ payTo, resource }: Look, unproven: readonly Unproven[]): Promise<number> {
    let proven = 0;
    const isFirst = (listing: Unproven): number => Number(listing.resource === resource);
    const urls = unproven
      .filter(({ type }) => type === 'http')
      .toSorted((one, other) => isFirst(other) - isFirst(one));
    for (const listing of urls.slice(0, limits.maxUrlsAsked)) {
      const { named } = await ask('live-402', new URL(listing.resource), closing);
      if (!isNamed(payTo, named)) continue;
      await listings.prove(listing, payTo, 'live-402');
      proven += 1;
    }
    return proven;
  }

  /** Returns where it was named, and for how many listings. */
  async function proveBy(look: Look, unproven: readonly Unproven[], said: Said): Promise<[Place, number]> {
    if (said === 'silent') return ['live-402', 0];
    if (said === 'not named') return ['live-402', await askUrls(look, unproven)];
    return [said, await listings.proveAll(look, said)];
  }

  return async (look: Look): Promise<Ending> => {
    const { origin, payTo } = look;
    const unproven = await listings.of(look);
    if (unproven.length === 0) return 'nothing to prove';
    const said = await askFiles(look);
    const [by, proven] = await proveBy(look, unproven, said);
    if (closing.aborted) return 'nothing to prove';
    if (proven > 0) log.info({ origin, payTo, by, listings: proven }, 'an origin names its recipient');
    else log.info({ origin, payTo, isSilent: said === 'silent' }, 'an origin does not name a recipient');
    await listings.forgetEnded(look);
    if (proven > 0) return 'named';
    return said === 'silent' ? 'silent' : 'not named';
  };
}
