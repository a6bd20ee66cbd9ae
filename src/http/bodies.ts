import type { IncomingMessage } from 'node:http';
import { createGrowingBuffer } from './growingBuffer.ts';
import type { HttpLimits } from './limits.ts';
import { malformed, overloaded, tooLarge, type HttpRefusal } from './refusal.ts';
import { createShares, type Share, type Shares } from './shares.ts';

/** A request's body that is arriving. */
export interface ArrivingBody {
  /** Resolves when all of it has arrived, or when it is refused. */
  readonly over: Promise<void>;
  /** Hands over the bytes as they were sent. Their room is kept until `release`. */
  take(): Buffer | HttpRefusal;
  /** Counts the body's size after decompression. Returns a refusal if there is no room for it. */
  grow(size: number): HttpRefusal | undefined;
  /** Records that the sender has gone. Drops the body unless it was taken. */
  leave(): void;
  /** Records that nobody needs the bytes any more, nor the values made from them. */
  release(): void;
}

/** Receives bodies, and counts the memory that they take together. */
export interface Bodies {
  /** Counts the bytes for the sender of this name. */
  receive(request: IncomingMessage, sender: string): ArrivingBody;
}

export function createBodies(limits: HttpLimits): Bodies {
  const shares = createShares(limits.bodiesBytes);
  return { receive: (request, sender) => receive(request, sender, shares, limits) };
}

function receive(
  request: IncomingMessage,
  sender: string,
  shares: Shares,
  { maxBodyBytes, uncountedBodyBytes }: HttpLimits,
): ArrivingBody {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const received = createGrowingBuffer(maxBodyBytes);
  let share: Share | undefined;
  let isTaken = false;
  let refusal: HttpRefusal | undefined;

  // Keep reading after a refusal, but throw the bytes away: closing the connection while the sender is still
  // sending would lose the answer.
  function refuse(why: HttpRefusal): void {
    refusal ??= why;
    received.take();
    share?.release();
    resolve();
  }

  function count(size: number): void {
    if (share !== undefined) share.resize(size);
    else if (size > uncountedBodyBytes) share = shares.take(sender, size, () => refuse(overloaded()));
  }

  if (Number(request.headers['content-length']) > maxBodyBytes) refuse(tooLarge(maxBodyBytes));
  request.on('data', (chunk: Buffer) => {
    if (refusal !== undefined) return;
    if (received.length + chunk.length > maxBodyBytes) return refuse(tooLarge(maxBodyBytes));
    count(received.add(chunk));
  });
  request.once('end', resolve);
  return {
    over,
    take() {
      if (refusal !== undefined) return refusal;
      isTaken = true;
      share?.keep();
      return received.take();
    },
    grow(size) {
      share?.offer();
      count(size);
      share?.keep();
      return refusal;
    },
    leave() {
      if (!isTaken) refuse(malformed('The request body broke off before it was complete.'));
    },
    release: () => share?.release(),
  };
}
