/** Preloaded into a child process: refuses every connection that would leave the machine, and names it on stderr. */
import { Socket } from 'node:net';

const LOOPBACK = ['127.0.0.1', '::1', 'localhost', undefined];

const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;

Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const [first] = args.flat() as [{ host?: string } | undefined];
  const host = typeof first === 'object' ? first.host : undefined;
  if (!LOOPBACK.includes(host)) {
    console.error(`LEFT THE MACHINE: ${host}`);
    throw new Error(`no way out to ${host}`);
  }
  return connect.apply(this, args);
};
