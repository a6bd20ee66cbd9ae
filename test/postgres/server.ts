/** A PostgreSQL server of the tests' own, on loopback, from the binaries of this machine. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../support/freePort.ts';

/** Where Debian and others put the programs, newest last. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(':'), ...globSync('/usr/lib/postgresql/*/bin').sort()];

/** The folder with `initdb` and `postgres`; undefined if this machine has none. */
export const binaries = FOLDERS.findLast((folder) => existsSync(join(folder, 'initdb')));

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** Runs a statement on a connection of its own. */
export async function rowsOf(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

export interface Databases {
  /** Creates an empty database, and returns its URL. */
  database(): Promise<string>;
  /** Runs a statement as the administrator. */
  administer(statement: string): Promise<void>;
}

export interface PostgresServer extends Databases {
  /** The URL of the administrator's database. */
  url: string;
  /** Kills the server as a crash would, and starts it again on the same data and port. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops its processes from running, and lets them go on. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Creates databases on a server that other processes may use, too. */
export function databasesOn(url: string): Databases {
  let databases = 0;
  const administer = async (statement: string): Promise<void> => void (await rowsOf(url, statement));
  return {
    administer,
    async database() {
      const name = `test_${process.pid}_${(databases += 1)}`;
      await administer(`CREATE DATABASE ${name}`);
      return new URL(name, url).href;
    },
  };
}

/** `isDurable`: commits reach the disk, as they must in production. */
export async function openPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  if (binaries === undefined) throw new Error('no PostgreSQL on this machine');
  const program = (name: string): string => join(binaries, name);
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;
  if (uid !== undefined) chownSync(folder, uid, uid);
  const data = join(folder, 'data');
  const as = { cwd: folder, ...(uid === undefined ? {} : { uid, gid: uid }) };
  execFileSync(program('initdb'), ['-D', data, '-U', 'tests', '-A', 'trust', '--no-sync'], {
    ...as,
    stdio: 'pipe',
  });
  const port = await freePort();
  let server: ChildProcess;
  const url = `postgres://tests@127.0.0.1:${port}/postgres`;

  const isUp = (): boolean => server.exitCode === null && server.signalCode === null;

  async function start(): Promise<void> {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: folder,
      fsync: isDurable ? 'on' : 'off',
      max_connections: 500,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    server = spawn(program('postgres'), ['-D', data, ...args], { ...as, stdio: 'ignore', detached: true });
    for (;;) {
      const client = new pg.Client(url);
      try {
        await client.connect();
        return;
      } catch {
        if (!isUp()) throw new Error('PostgreSQL does not start');
        await sleep(50);
      } finally {
        await client.end().catch(() => {});
      }
    }
  }

  /** Each process of the server is in a group of its own. */
  const signalAll = (name: NodeJS.Signals): void => {
    for (const pid of [server.pid!, ...childrenOf(server.pid!)]) signal(pid, name);
  };
  const ended = (): Promise<unknown> => new Promise((resolve) => server.once('exit', resolve));

  await start();
  return {
    url,
    ...databasesOn(url),
    start,
    async kill() {
      const end = ended();
      // It has no further children then.
      signal(server.pid!, 'SIGSTOP');
      const children = childrenOf(server.pid!);
      signalAll('SIGKILL');
      await end;
      // The next server needs the memory that they still share.
      while (children.some(isRunning)) await sleep(10);
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async close() {
      const end = isUp() ? ended() : undefined;
      if (isUp()) server.kill('SIGQUIT');
      await end;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Signals a process, which may have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** Returns the process ids of a process's children. */
function childrenOf(parent: number): number[] {
  return globSync('/proc/[0-9]*/stat').flatMap((path) => {
    try {
      const [, , ppid] = readFileSync(path, 'utf8')
        .replace(/\(.*\)/, '')
        .split(/\s+/);
      return Number(ppid) === parent ? [Number(path.split('/')[2])] : [];
    } catch {
      return [];
    }
  });
}
