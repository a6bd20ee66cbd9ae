import { MAX_KEYS, newKey, type KeyLimits } from '../../callers/index.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import type { Context, Terminal } from '../command.ts';
import { Failure } from '../failure.ts';
import { withKeys } from './store.ts';

export interface KeyOrder {
  /** Says whose key it is. */
  readonly name: string;
  readonly limits: KeyLimits;
}

/** Makes a key and shows it. Throws a Failure. */
export async function createKey(
  { name, limits }: KeyOrder,
  { environment, terminal }: Context,
): Promise<void> {
  const { id, text, secretHash } = newKey();
  const key = { id, name, secretHash, limits, createdAtMs: Date.now(), revokedAtMs: undefined };
  const isStored = await withKeys(environment, (keys) => keys.add(key), { makesFile: true });
  if (!isStored)
    throw new Failure(EXIT_FAILED, `there are ${MAX_KEYS} keys in use, and no more can be made: revoke some`);
  show(text, `The key of ${name} has the id ${id}.`, terminal);
}

/** Replaces a key by a new one, and shows that. Throws a Failure. */
export async function rotateKey(id: string, { environment, terminal }: Context): Promise<void> {
  const { text, ...made } = newKey();
  const replaced = await withKeys(environment, (keys) =>
    keys.replace(id, { ...made, createdAtMs: Date.now() }),
  );
  if (replaced === undefined) throw unknownKey(id);
  show(text, `The key ${id} is revoked. The new key of ${replaced.name} has the id ${made.id}.`, terminal);
}

export async function revokeKey(id: string, { environment, terminal }: Context): Promise<void> {
  const revoked = await withKeys(environment, (keys) => keys.revoke(id, Date.now()));
  if (revoked === undefined) throw unknownKey(id);
  terminal.say(`The key ${id} is revoked. The service refuses it within about a second.`);
}

/** Shows a key that is stored by now. The result is the key alone, so that a script can take it. */
function show(text: string, sentence: string, { say, note }: Terminal): void {
  note(`${sentence} It is shown only now, and cannot be read again:`);
  say(text);
}

function unknownKey(id: string): Failure {
  return new Failure(EXIT_FAILED, `no key in use has the id ${id}: list shows the keys`);
}
