import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import buildIfChanged from '../test/support/built.ts';
import { freePort } from '../test/support/freePort.ts';
import { openField, type Field } from './field.ts';
import { LEDGER_MS } from './network.ts';
import { say } from './progress.ts';
import { goal, type Result } from './results.ts';
import { median } from './statistics.ts';
import { shown } from './table.ts';

const ROUNDS = 7;
const ROUNDS_REHEARSAL = 1;
/** By then all that a start begins has come to rest. */
const IDLE_AFTER_MS = 5_000;
const ASK_EVERY_MS = 5;
const START_TIMEOUT_MS = 30_000;
const START_GOAL_MS = 800;
const SERVICE_GOAL_MB = 150;
const TOOL_SERVER_GOAL_MB = 130;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

interface Start {
  /** From the start of the process to the end of its first answer. */
  firstAnswerMs: number;
  /** Resident memory when it has nothing to do, in 10⁶ bytes. */
  idleMb: number;
}

/** Measures how long the commands take to start, and what they need when idle. Needs /proc. */
export async function benchStart(isRehearsal: boolean): Promise<Result> {
  buildIfChanged();
  await using field = await openField({ ledgerMs: LEDGER_MS });
  const starts = { ours: [] as Start[], peer: [] as Start[], toolServer: [] as Start[] };
  for (let round = 0; round < (isRehearsal ? ROUNDS_REHEARSAL : ROUNDS); round += 1) {
    starts.ours.push(await startService(field));
    starts.peer.push(await startPeer(field));
    starts.toolServer.push(await startToolServer(field));
    say(`round ${round + 1}`);
  }
  const times = (of: readonly Start[]): number[] => of.map(({ firstAnswerMs }) => firstAnswerMs);
  const idle = (of: readonly Start[]): number[] => of.map(({ idleMb }) => idleMb);
  const [startMs, serviceMb] = [median(times(starts.ours)), median(idle(starts.ours))];
  const toolServerMb = median(idle(starts.toolServer));
  return {
    name: 'start',
    notes: [
      'Each process is started anew, in turns: this service as the package has it, with its files on disk and the operator’s port; the peer’s scheme behind Fastify; the tool server for agents, with a wallet.',
      'The first answer is that of /health, or of the protocol’s first request. Idle is five seconds later; a megabyte is 10⁶ bytes.',
    ],
    sections: [
      {
        title: 'The service',
        measures: [
          { name: 'first answer, ms', ours: times(starts.ours), peer: times(starts.peer) },
          { name: 'resident when idle, MB', ours: idle(starts.ours), peer: idle(starts.peer) },
        ],
      },
      {
        title: 'The tool server for agents',
        measures: [
          { name: 'first answer, ms', ours: times(starts.toolServer), peer: [] },
          { name: 'resident when idle, MB', ours: idle(starts.toolServer), peer: [] },
        ],
      },
    ],
    goals: [
      goal('the first answer within 0.8 s', `${shown(startMs)} ms`, startMs <= START_GOAL_MS),
      goal('at most 150 MB when idle', `${shown(serviceMb)} MB`, serviceMb <= SERVICE_GOAL_MB),
      goal(
        'the tool server at most 130 MB when idle',
        `${shown(toolServerMb)} MB`,
        toolServerMb <= TOOL_SERVER_GOAL_MB,
      ),
    ],
  };
}

async function startService(field: Field): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
  const [submitter] = await field.makeSubmitters(1);
  const port = await freePort();
  const environment = {
    NETWORK: 'stellar:testnet',
    RPC_URL: field.network.url,
    SUBMITTER_SECRET: submitter!,
    DB_PATH: join(folder, 'catalog.db'),
    PORT: String(port),
    OPERATOR_PORT: '0',
  };
  try {
    return await measure(['dist/stellar-facilitator.js'], environment, () => isHealthy(port));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function startPeer(field: Field): Promise<Start> {
  const startedAt = performance.now();
  await using peer = await field.startServer('peer', { submitters: 1, connections: 1 });
  await isHealthy(peer.port);
  const firstAnswerMs = performance.now() - startedAt;
  await pause(IDLE_AFTER_MS);
  return { firstAnswerMs, idleMb: residentMb(peer.pid) };
}

async function startToolServer(field: Field): Promise<Start> {
  const [wallet] = await field.makeSubmitters(1);
  const environment = { RPC_URL: field.network.url, CLIENT_STELLAR_PRIVATE_KEY: wallet! };
  return await measure(['dist/stellar-facilitator-mcp.js'], environment, async ({ stdin, stdout }) => {
    stdin!.write(`${JSON.stringify(INITIALIZE)}\n`);
    return await new Promise((resolve) => stdout!.once('data', () => resolve(true)));
  });
}

async function measure(
  args: readonly string[],
  environment: Record<string, string>,
  answers: (child: ChildProcess) => Promise<boolean>,
): Promise<Start> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    while (!(await answers(child))) {
      if (performance.now() - startedAt > START_TIMEOUT_MS)
        throw new Error(`${args.join(' ')} does not start`);
      await pause(ASK_EVERY_MS);
    }
    const firstAnswerMs = performance.now() - startedAt;
    child.stdout.resume();
    await pause(IDLE_AFTER_MS);
    return { firstAnswerMs, idleMb: residentMb(child.pid!) };
  } finally {
    child.kill();
    await ended;
  }
}

const isHealthy = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    async (answer) => (await answer.text()) !== '' && answer.ok,
    () => false,
  );

const residentMb = (pid: number): number =>
  (Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;
