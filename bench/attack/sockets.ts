import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { shown } from '../table.ts';
import type { Attack, Timed } from './attack.ts';
import { atRate, connectTo } from './sending.ts';

interface Size extends Timed {
  connections: number;
  /** In which they are opened. */
  openSeconds: number;
}

/** Files that the attacker, or the server, has open beside the connections. */
const OTHER_FILES = 500;

/** Connections on which nothing is ever said. */
export const attack: Attack<Size> = {
  file: 'sockets.ts',
  title: 'Idle sockets of one client',
  describe: ({ connections, openSeconds, seconds }) =>
    `${shown(connections)} connections without a request (as many as the process may open, if fewer), opened within ${openSeconds} s and held for ${seconds} s; each honest request has a connection of its own.`,
  full: { connections: 10_000, openSeconds: 4, seconds: 15 },
  short: { connections: 10_000, openSeconds: 1, seconds: 3 },
  honest: ['health', 'verify'],
  submitters: 1,
  rpcDelayMs: 0,
  async send(target, { connections, openSeconds, seconds }) {
    const count = Math.min(connections, maxOpenFiles() - OTHER_FILES);
    const sockets: Socket[] = [];
    await atRate({ seconds: openSeconds, perSecond: count / openSeconds }, () => {
      sockets.push(connectTo(target).resume());
    });
    await pause(seconds * 1000);
    const held = sockets.filter((socket) => socket.readyState === 'open').length;
    for (const socket of sockets) socket.destroy();
    return { 'connections opened': sockets.length, 'of them open at the end': held };
  },
};

/** `ulimit -n`. */
function maxOpenFiles(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  return Number(userLimits?.open_files?.soft ?? Infinity) || Infinity;
}
