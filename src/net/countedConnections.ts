import type { Socket } from 'node:net';

/** Counts the open connections of each holder, such as a key or an address. */
export interface CountedConnections {
  /** Counts a connection for a holder. Returns false if the holder has as many others as it may have. */
  count(socket: Socket, holder: string, maxConnections: number): boolean;
}

export function createCountedConnections(): CountedConnections {
  const socketsOf = new Map<string, Set<Socket>>();
  const holdersOf = new WeakMap<Socket, Set<string>>();

  /** Returns the holders that a connection counts for. Forgets it once it is closed. */
  function open(socket: Socket): Set<string> {
    const holders = new Set<string>();
    holdersOf.set(socket, holders);
    socket.once('close', () => {
      for (const holder of holders) {
        const sockets = socketsOf.get(holder)!;
        sockets.delete(socket);
        if (sockets.size === 0) socketsOf.delete(holder);
      }
    });
    return holders;
  }

  return {
    count(socket, holder, maxConnections) {
      const sockets = socketsOf.get(holder) ?? new Set();
      if (sockets.has(socket)) return true;
      if (sockets.size >= maxConnections) return false;
      socketsOf.set(holder, sockets.add(socket));
      (holdersOf.get(socket) ?? open(socket)).add(holder);
      return true;
    },
  };
}
