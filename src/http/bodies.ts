import type { IncomingMessage } from 'node:http';
import { addressOf } from './address.ts';
import { BODIES_LIMIT, BODY_LIMIT_BYTES, UNCOUNTED_BODY_BYTES } from './limits.ts';
import { malformed, overloaded } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { createShares } from './shares.ts';
import type { Share } from './shares.ts';

/** A request's body that is arriving. */
export interface ArrivingBody {
  /** Resolves when all of it has arrived, or when it is refused. */
  readonly over: Promise<void>;
  /** Hands over the bytes as they were sent. Their room is kept until `release`. */
  take(): Buffer | Refusal;
  /** Counts the body's size after decompression. Returns a refusal if there is no room for it. */
  grow(size: number): Refusal | null;
  /** Tells that the sender has gone. Drops the body unless it was taken. */
  leave(): void;
  /** Tells that nobody needs the bytes any more, nor the values made from them. */
  release(): void;
}

/** Receives bodies, and counts the memory that they take together. */
export interface Bodies {
  receive(request: IncomingMessage): ArrivingBody;
}

const NOTHING = Buffer.alloc(0);

export function createBodies(): Bodies {
  const shares = createShares(BODIES_LIMIT);

  return {
    receive(request) {
      const address = addressOf(request.socket);
      const { promise: over, resolve } = Promise.withResolvers<void>();
      let bytes: Buffer = NOTHING;
      let length = 0;
      let share: Share | undefined;
      let isTaken = false;
      let refusal = Number(request.headers['content-length']) > BODY_LIMIT_BYTES ? tooLarge() : undefined;
      if (refusal !== undefined) resolve();

      // Keep reading after a refusal, but throw the bytes away: closing the connection while the sender is still
      // sending would lose the answer.
      const refuse = (why: Refusal): void => {
        refusal ??= why;
        bytes = NOTHING;
        share?.release();
        resolve();
      };
      const count = (size: number): void => {
        if (share !== undefined) share.resize(size);
        else if (size > UNCOUNTED_BODY_BYTES) share = shares.take(address, size, () => refuse(overloaded()));
      };
      request.on('data', (chunk: Buffer) => {
        if (refusal !== undefined) return;
        if (length + chunk.length > BODY_LIMIT_BYTES) return refuse(tooLarge());
        bytes = length === 0 ? chunk : withRoom(bytes, length, chunk.length);
        if (length > 0) bytes.set(chunk, length);
        length += chunk.length;
        count(bytes.length);
      });
      request.once('end', resolve);
      return {
        over,
        take() {
          if (refusal !== undefined) return refusal;
          const taken = bytes.subarray(0, length);
          bytes = NOTHING;
          isTaken = true;
          share?.keep();
          return taken;
        },
        grow(size) {
          share?.offer();
          count(size);
          share?.keep();
          return refusal ?? null;
        },
        leave() {
          if (!isTaken) refuse(malformed('The request body broke off before it was complete.'));
        },
        release: () => share?.release(),
      };
    },
  };
}

/** Makes room in one buffer, at most twice the size of its content. A chunk of one byte would cost hundreds. */
function withRoom(bytes: Buffer, length: number, more: number): Buffer {
  const needed = length + more;
  if (needed <= bytes.length) return bytes;
  const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, 2 * length), BODY_LIMIT_BYTES));
  bytes.copy(grown, 0, 0, length);
  return grown;
}

export function tooLarge(): Refusal {
  return malformed(`The request body is larger than ${BODY_LIMIT_BYTES} bytes.`, 413);
}
