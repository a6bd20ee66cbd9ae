import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { readAccounts } from '../../stellar/accounts.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { Failure } from '../failure.ts';
import type { Source } from './source.ts';

/** Limits the requests to friendbot, which serves many users and answers 429 if there are too many requests. */
export const FRIENDBOT_LIMITS = {
  attemptsPerAccount: 8,
  answerTimeoutMs: 60_000,
  /** The wait between two attempts doubles each time, or is as long as friendbot asks for, up to the longest wait. */
  firstWaitMs: 1_000,
  longestWaitMs: 30_000,
};

export interface FriendbotDeps {
  rpc: Rpc;
  friendbotUrl: URL;
  /** Receives progress messages. */
  note: (text: string) => void;
}

/** Has friendbot make the accounts, one after the other. */
export function openFriendbot(deps: FriendbotDeps): Source {
  return {
    name: `Friendbot at ${deps.friendbotUrl.host}`,
    async fund(addresses) {
      for (const [index, address] of addresses.entries()) {
        await askFriendbot(deps, address);
        deps.note(`funded ${index + 1} of ${addresses.length}: ${address}`);
      }
    },
  };
}

/**
 * Has friendbot make an account. An account that exists by now counts as success, since an answer may have been lost.
 * Throws a Failure when all attempts are used up.
 */
async function askFriendbot({ rpc, friendbotUrl, note }: FriendbotDeps, address: string): Promise<void> {
  const { attemptsPerAccount, firstWaitMs, longestWaitMs } = FRIENDBOT_LIMITS;
  for (let attempt = 1; ; attempt += 1) {
    const refused = await ask(friendbotUrl, address);
    if (refused === undefined || (await exists(rpc, address))) return;
    const why = `friendbot at ${friendbotUrl.host} did not fund ${address}: ${refused.why}`;
    if (attempt === attemptsPerAccount)
      throw new Failure(EXIT_FAILED, `${why}, ${attempt} times in a row: try again later`);
    const waitMs = Math.min(longestWaitMs, refused.waitMs ?? firstWaitMs * 2 ** (attempt - 1));
    note(`${why}; asking again in ${Math.ceil(waitMs / 1000)} s`);
    await sleep(waitMs);
  }
}

/** Returns undefined if friendbot did it. */
async function ask(
  friendbotUrl: URL,
  address: string,
): Promise<{ why: string; waitMs: number | undefined } | undefined> {
  const url = new URL(friendbotUrl);
  url.searchParams.set('addr', address);
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(FRIENDBOT_LIMITS.answerTimeoutMs) });
    await answer.body?.cancel();
    if (answer.ok) return undefined;
    return { why: `HTTP status ${answer.status}`, waitMs: waitOf(answer.headers.get('retry-after')) };
  } catch (error) {
    const { message, cause } = error as Error;
    return { why: cause instanceof Error ? cause.message : message, waitMs: undefined };
  }
}

function waitOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined;
}

async function exists(rpc: Rpc, address: string): Promise<boolean> {
  return (await readAccounts(rpc, [address])).has(address);
}
