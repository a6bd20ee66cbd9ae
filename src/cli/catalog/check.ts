import { openChecksInFile, openSharedChecks, type Checks } from '../../catalog/index.ts';
import { CHECK_LIMITS, checkCatalog, type CheckCatalogDeps, type CheckTotals } from '../../doctor/index.ts';
import { createOutgoing } from '../../net/outgoing.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { VERSION } from '../../process/version.ts';
import type { Context, ProcessEnvironment } from '../command.ts';
import { counted } from '../counted.ts';
import { wrongUsage } from '../failure.ts';
import { printable, printableJson } from '../printable.ts';
import { BUSY_TIMEOUT_MS, withCatalog } from '../withCatalog.ts';

interface Order {
  readonly after: number;
  readonly limit: number;
  /** True if machines of the own network may be asked, too. */
  readonly local: boolean;
  readonly json: boolean;
}

const REPORT_EVERY_MS = 1_000;
const EXIT_NOT_TOLD = 3;
const NOT_ASKED = 'Not asked were MCP servers, and addresses that are not public';
const LOCAL_ASKS = '--local asks those of your own network, on testnet only';

/** Checks listings, marks those that do not hold, and says what it found. Returns the exit code, or throws a Failure. */
export async function runCatalogCheck(
  { after, limit, local, json }: Order,
  { environment, terminal }: Context,
): Promise<number> {
  if (local && environment['NETWORK']?.trim() === 'stellar:pubnet')
    throw wrongUsage('--local is for testnet: on stellar:pubnet strangers could have your network asked');
  const outgoing = createOutgoing({
    userAgent: `stellar-facilitator-check/${VERSION}`,
    maxConnections: 1,
    silenceTimeoutMs: CHECK_LIMITS.requestTimeoutMs,
    ...CHECK_LIMITS,
  });
  const deps = {
    fetch: outgoing.fetch,
    reach: local ? 'any' : 'public',
    limits: CHECK_LIMITS,
    now: Date.now,
    ...reporting(terminal),
  } as const;
  try {
    const totals = await withChecks(environment, (checks) =>
      checkCatalog({ ...deps, checks }, { after, limit }),
    );
    const { next } = totals;
    terminal.say(json ? printableJson({ ...totals, next: next ?? null }) : summaryOf(totals));
    if (totals.notAsked > 0 && !json) terminal.note(local ? NOT_ASKED : `${NOT_ASKED}; ${LOCAL_ASKS}`);
    if (next !== undefined) terminal.note(`More follow: --after ${next}`);
    return exitCodeOf(totals);
  } finally {
    await outgoing.close();
  }
}

/** Tells each change, and from time to time how many listings are checked. */
function reporting({ note }: Context['terminal']): Pick<CheckCatalogDeps, 'onChange' | 'onProgress'> {
  let nextAtMs = performance.now() + REPORT_EVERY_MS;
  return {
    onChange({ id, item: { resource } }, stale) {
      const change = stale === undefined ? 'is no longer marked' : `is marked ${stale.reason}`;
      note(`listing ${id} ${change}: ${printable(resource)}`);
    },
    onProgress({ listings }) {
      if (performance.now() < nextAtMs) return;
      nextAtMs = performance.now() + REPORT_EVERY_MS;
      note(`${counted(listings, 'listing')} checked`);
    },
  };
}

function withChecks<Result>(
  environment: ProcessEnvironment,
  work: (checks: Checks) => Promise<Result>,
): Promise<Result> {
  return withCatalog(environment, {
    async inFile(dbPath) {
      const { checks, close } = openChecksInFile(dbPath, { busyTimeoutMs: BUSY_TIMEOUT_MS });
      try {
        return await work(checks);
      } finally {
        close();
      }
    },
    inDatabase: (query) => work(openSharedChecks(query)),
  });
}

const summaryOf = ({ listings, offered, stale, marked, unmarked, notTold, notAsked }: CheckTotals): string =>
  `${counted(listings, 'listing')}: ${offered} offered as listed, ${stale} stale, ${notTold} could not be told, ${notAsked} not asked. ` +
  `${marked} newly marked, ${unmarked} no longer.`;

function exitCodeOf({ stale, notTold }: CheckTotals): number {
  if (stale > 0) return EXIT_FAILED;
  return notTold > 0 ? EXIT_NOT_TOLD : 0;
}
