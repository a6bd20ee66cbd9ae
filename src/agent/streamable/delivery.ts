import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Delivery } from '../delivery.ts';
import type { StreamableLimits } from './limits.ts';

/** The delivery of a call's result through an HTTP response. */
export interface HttpDelivery extends Delivery {
  /** Records that the host gives up the call. */
  giveUp(): void;
}

/** Finds out which responses have reached their hosts, since what was not told must not be paid for again. */
export interface Deliveries {
  follow(response: ServerResponse): HttpDelivery;
  /** Records another request on a connection: its host has read the response before. */
  confirm(socket: Socket): void;
}

export function createDeliveries({ resetWithinMs }: Pick<StreamableLimits, 'resetWithinMs'>): Deliveries {
  /** Confirms the response that a connection has carried last. */
  const unconfirmed = new WeakMap<Socket, () => void>();

  /**
   * A connection that is closed before all of the response was read is reset. Waits for this until the host shows by other
   * means that it has read it, or for a limited time.
   */
  function awaitReset(socket: Socket, onReset: () => void, onEnd: () => void): void {
    const end = (): void => {
      clearTimeout(timer);
      unconfirmed.delete(socket);
      socket.off('error', onReset).off('close', end);
      onEnd();
    };
    const timer = setTimeout(end, resetWithinMs).unref();
    unconfirmed.set(socket, end);
    socket.once('error', onReset).once('close', end);
  }

  return {
    follow(response) {
      const { socket } = response.req;
      const hangUp = new AbortController();
      const giveUp = (): void => hangUp.abort();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      response.once('close', () => {
        if (response.writableFinished && !socket.destroyed) return awaitReset(socket, giveUp, resolve);
        if (!response.writableFinished || socket.errored) giveUp();
        resolve();
      });
      return { hungUp: hangUp.signal, ended, giveUp, noticeHangUp };
    },
    confirm: (socket) => unconfirmed.get(socket)?.(),
  };
}

/**
 * Returns a function that lets a connection linger that ends with its response: it is half closed first, since a closed one
 * would not show a reset.
 */
export function lingering({
  resetWithinMs,
}: Pick<StreamableLimits, 'resetWithinMs'>): (socket: Socket) => void {
  return (socket) => {
    // Node's server calls it after the last response of a connection.
    socket.destroySoon = () => {
      socket.end();
      const timer = setTimeout(() => socket.destroy(), resetWithinMs).unref();
      socket.once('close', () => clearTimeout(timer));
    };
  };
}

/** The delivery to a host that has gone before its call began. */
export const GONE: Delivery = { hungUp: AbortSignal.abort(), ended: Promise.resolve(), noticeHangUp };

/** After two turns, the event loop has asked all connections once. */
async function noticeHangUp(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
