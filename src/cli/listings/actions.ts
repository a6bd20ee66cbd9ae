import { userInfo } from 'node:os';
import {
  ACTOR_LIMIT_CHARACTERS,
  type BlockTarget,
  type Keeper,
  type KeeperAct,
  type KeeperRefusal,
} from '../../catalog/index.ts';
import { EXIT_FAILED, EXIT_USAGE } from '../../process/exitCodes.ts';
import { baseAddress } from '../../stellar/addresses.ts';
import type { Context } from '../command.ts';
import { Failure } from '../failure.ts';
import { printable } from '../printable.ts';
import { withKeeper } from './store.ts';

const REPORT_EVERY_MS = 1_000;

const DONE = {
  hide: 'is hidden',
  unhide: 'is shown again, unless its origin or recipient is blocked',
  remove: 'is removed. A later payment lists it again',
};

/** Hides, shows or removes a listing. Throws a Failure. */
export async function actOnListing(
  word: 'hide' | 'unhide' | 'remove',
  id: number,
  reason: string,
  { environment, terminal }: Context,
): Promise<void> {
  const refusal = await withKeeper(environment, (keeper) => keeper[word](id, actOf(reason)));
  if (refusal !== undefined) throw failureOf(refusal);
  terminal.say(`Listing ${id} ${DONE[word]}.`);
}

/** Blocks an origin or a recipient, or ends that. Shows how far it is. Throws a Failure. */
export async function actOnTarget(
  word: 'block' | 'unblock',
  { kind, value }: BlockTarget,
  reason: string,
  { environment, terminal }: Context,
): Promise<void> {
  const target = { kind, value: kind === 'recipient' ? baseAddress(value) : value };
  let nextAtMs = performance.now() + REPORT_EVERY_MS;
  const onProgress = (done: number, of: number): void => {
    if (performance.now() < nextAtMs) return;
    nextAtMs += REPORT_EVERY_MS;
    terminal.note(`${done} of ${of} listings`);
  };
  const carryOut = (keeper: Keeper) => keeper[word](target, actOf(reason), onProgress);
  const outcome = await withKeeper(environment, carryOut);
  if ('code' in outcome) throw failureOf(outcome);
  const { listings } = outcome;
  const name = `${kind === 'origin' ? 'The origin' : 'The recipient'} ${printable(outcome.target.value)}`;
  const count = listings === undefined ? '' : ` (${listings})`;
  terminal.say(
    word === 'block'
      ? `${name} is blocked: its listings${count} are hidden, and new ones are refused.`
      : `${name} is no longer blocked: its listings${count} are shown, unless something else hides them.`,
  );
}

/** Names the user of this process. */
function actOf(reason: string): KeeperAct {
  return { reason, source: 'terminal', actor: userName() };
}

function userName(): string {
  try {
    return printable(userInfo().username).slice(0, ACTOR_LIMIT_CHARACTERS) || 'unknown';
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

export function failureOf({ code, message }: KeeperRefusal): Failure {
  const isUsage = code === 'keeper_invalid_act' || code === 'keeper_invalid_target';
  const hint = code === 'keeper_unknown_listing' ? ' `listings list` shows the ids.' : '';
  return new Failure(isUsage ? EXIT_USAGE : EXIT_FAILED, `${message}${hint}`);
}
