import type { Socket } from 'node:net';

/** Counts the open connections that have carried requests of a key. */
export interface KeyConnections {
  /** Counts a connection for a key. Returns false if the key has as many others as it may have. */
  carry(socket: Socket, keyId: string, maxConnections: number): boolean;
}

export function createKeyConnections(): KeyConnections {
  const socketsOf = new Map<string, Set<Socket>>();
  const keysOf = new WeakMap<Socket, Set<string>>();

  /** Returns the keys that a connection counts for. Forgets it once it is closed. */
  function open(socket: Socket): Set<string> {
    const keys = new Set<string>();
    keysOf.set(socket, keys);
    socket.once('close', () => {
      for (const keyId of keys) {
        const sockets = socketsOf.get(keyId)!;
        sockets.delete(socket);
        if (sockets.size === 0) socketsOf.delete(keyId);
      }
    });
    return keys;
  }

  return {
    carry(socket, keyId, maxConnections) {
      const sockets = socketsOf.get(keyId) ?? new Set();
      if (sockets.has(socket)) return true;
      if (sockets.size >= maxConnections) return false;
      socketsOf.set(keyId, sockets.add(socket));
      (keysOf.get(socket) ?? open(socket)).add(keyId);
      return true;
    },
  };
}
