/** Somebody who follows the documents: a shell in a checkout of the project, beside a sandbox. */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { NetworkName } from '../../sandbox/networks.ts';
import { childEnvironment } from '../support/childEnvironment.ts';
import { endsWithin } from '../support/endsWithin.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { addresses, freePorts, substitute, type Ports } from './substitutions.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that goes on. */
export interface Running {
  /** Waits until its output matches; rejects if it ends without, or hangs. */
  shows(wanted: RegExp): Promise<RegExpExecArray>;
  stdout(): string;
  /** Stops it as Ctrl-C would, with all that it started. */
  stop(): Promise<Ended>;
  ended: Promise<Ended>;
}

export interface Reader {
  sandbox: TestSandbox;
  ports: Ports;
  /** The certificate of the sandbox. */
  certificate: string;
  /** The checkout. Commands run here, and leave their files here. */
  folder: string;
  /** Where it finds programs. */
  path: string;
  /** What a text means here. */
  meant(text: string): string;
  write(name: string, text: string): void;
  read(name: string): string;
  /** Runs commands in the shell, which keeps what they export, and types `input`. */
  start(commands: string, input?: string): Running;
  /** Waits for their end; fails unless the last of them succeeds. */
  run(commands: string, input?: string): Promise<Ended>;
  /** Starts commands of which the last is the service, and waits until it listens. */
  serve(commands: string): Promise<Running>;
}

/** A command that has not ended by then hangs; services are stopped sooner. */
const LIMIT_MS = 90_000;
const ROOT = resolve('.');
const PRELOAD = join(import.meta.dirname, 'preload.ts');
/** What a checkout does not have, or what the reader makes. */
const NOT_IN_A_CHECKOUT = /^(\.git|data|build|.*\.env|.*\.tgz)$/;

/** A sandbox and a checkout, until the test ends. `environment` is what the reader has set before. */
export async function openReader(
  environment: Record<string, string> = {},
  network: NetworkName = 'testnet',
): Promise<Reader> {
  const sandbox = await openSandbox({ network });
  onTestFinished(() => sandbox.close());
  const ports = await freePorts();
  const folder = checkout();
  const certificate = join(folder, '.certificate.pem');
  writeFileSync(certificate, sandbox.caCertificate);
  const table = addresses(sandbox, ports);
  const exported = join(folder, '.exported');
  const env = {
    ...childEnvironment,
    PATH: [dirname(process.execPath), childEnvironment.PATH].join(delimiter),
    HOME: folder,
    NODE_OPTIONS: `--import=${PRELOAD}`,
    npm_config_update_notifier: 'false',
    npm_config_offline: 'true',
    SANDBOX_HTTPS_URL: sandbox.httpsUrl,
    NODE_EXTRA_CA_CERTS: certificate,
    // The public testnet is the sandbox, too.
    RPC_URL: sandbox.url,
    PORT: String(ports.service),
    OPERATOR_PORT: String(ports.operator),
    ...environment,
  };
  let started = 0;
  const start: Reader['start'] = (commands, input = '') => {
    const before = existsSync(exported) ? `. ${exported}\n` : '';
    // Commands are read from a file, so that what they read is what is typed. Shells that go on keep theirs.
    const file = join(folder, `.commands-${(started += 1)}`);
    writeFileSync(file, `${before}trap 'export -p > ${exported}' EXIT\n${substitute(commands, table)}`);
    return startShell(file, { cwd: folder, env, input });
  };
  const reader: Reader = {
    sandbox,
    ports,
    certificate,
    folder,
    path: env.PATH,
    meant: (text) => substitute(text, table),
    write(name, text) {
      writeFileSync(join(folder, name), substitute(text, table));
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    start,
    async run(commands, input) {
      const ended = await start(commands, input).ended;
      expect(ended, commands).toMatchObject({ code: 0 });
      return ended;
    },
    async serve(commands) {
      const running = start(commands);
      await running.shows(/"msg":"listening"/);
      return running;
    },
  };
  return reader;
}

/** A folder that looks like a checkout after `npm ci`, in which nothing of the project can be changed by mistake. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(ROOT)) {
    if (!NOT_IN_A_CHECKOUT.test(name)) symlinkSync(join(ROOT, name), join(folder, name));
  }
  return folder;
}

function startShell(
  file: string,
  { input, ...options }: { cwd: string; env: Record<string, string>; input: string },
): Running {
  // A group of its own: npm does not pass signals on.
  const shell = spawn('bash', ['-eo', 'pipefail', file], { ...options, detached: true });
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-shell.pid!, name);
    } catch {
      // It has ended.
    }
  };
  onTestFinished(() => signal('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  let look = (): void => {};
  shell.stdout.on('data', (text: Buffer) => ((stdout += text.toString()), look()));
  shell.stderr.on('data', (text: Buffer) => ((stderr += text.toString()), look()));
  shell.stdin.on('error', () => {});
  shell.stdin.end(input);
  const closed = new Promise<Ended>((done, fail) => {
    shell.on('close', (code) => {
      if (stderr.includes('LEFT THE MACHINE')) fail(new Error(stderr));
      else done({ code, stdout, stderr });
    });
  });
  const ended = endsWithin(LIMIT_MS, closed, () => `${stdout}${stderr}`);
  ended.catch(() => {});
  return {
    async shows(wanted) {
      const { promise, resolve: found, reject } = Promise.withResolvers<RegExpExecArray>();
      look = () => {
        const match = wanted.exec(stdout) ?? wanted.exec(stderr);
        if (match) found(match);
      };
      look();
      const late = (): void => reject(new Error(`it ended without ${String(wanted)}: ${stdout}${stderr}`));
      ended.then(late, late);
      return promise;
    },
    stdout: () => stdout,
    async stop() {
      signal('SIGINT');
      return ended;
    },
    ended,
  };
}
