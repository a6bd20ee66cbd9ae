/** Checks the listings of a catalog, one host at a time and several hosts at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckableListing } from '../catalog/index.ts';
import { standingOf, type Standing, type StandingDeps } from './standing.ts';

export interface CheckListingsDeps extends StandingDeps {
  /** Hears of each listing once it is checked. */
  readonly heard: (listing: CheckableListing, standing: Standing) => Promise<void>;
}

/** Ports and schemes of one host are one: whoever answers there is asked no more often. */
interface Host {
  freeAtMs: number;
  askedForMs: number;
}

/**
 * Checks listings, which come some at a time. No host has two requests at once, and each has a pause after a request. A
 * host that takes more than its time is asked no more: its other listings count as `not_told`.
 */
export async function checkListings(
  deps: CheckListingsDeps,
  listings: AsyncIterable<readonly CheckableListing[]>,
): Promise<void> {
  const hosts = new Map<string, Host>();
  for await (const some of listings) {
    const groups = Map.groupBy(some, hostOf).entries();
    const work = async (): Promise<void> => {
      for (const [name, group] of groups) {
        const host = hosts.get(name) ?? { freeAtMs: -Infinity, askedForMs: 0 };
        for (const listing of group) await deps.heard(listing, await ask(deps, listing, host));
        remember(hosts, name, host, deps.limits.maxHosts);
      }
    };
    await Promise.all(Array.from({ length: deps.limits.maxAtOnce }, work));
  }
}

async function ask(deps: CheckListingsDeps, listing: CheckableListing, host: Host): Promise<Standing> {
  if (host.askedForMs >= deps.limits.maxMsPerHost) return 'not_told';
  await sleep(Math.max(0, host.freeAtMs - performance.now()));
  const startMs = performance.now();
  const standing = await standingOf(deps, listing);
  if (standing === 'not_asked') return standing;
  host.askedForMs += performance.now() - startMs;
  host.freeAtMs = performance.now() + deps.limits.pauseMs;
  return standing;
}

/** Forgets the hosts that were asked longest ago. */
function remember(hosts: Map<string, Host>, name: string, host: Host, maxHosts: number): void {
  hosts.delete(name);
  hosts.set(name, host);
  if (hosts.size > maxHosts) hosts.delete(hosts.keys().next().value!);
}

const hostOf = ({ item: { resource } }: CheckableListing): string => URL.parse(resource)?.hostname ?? '';
