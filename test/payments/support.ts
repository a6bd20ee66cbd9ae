/** Settlements in the journal of a service that runs, for the command that reads them. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import type { ShownSettlement } from '../../src/contract/index.ts';
import type { StoreOfKeys } from '../callers/stores.ts';
import { startChild } from '../catalog/child.ts';
import { rowsOf } from '../postgres/server.ts';
import { runInside } from '../support/cli.ts';
import { NETWORK } from '../support/payments.ts';
import type { Facilitator } from '../support/service.ts';
import type { Stage } from '../support/serviceStage.ts';
import { settlementsOn, type Payment } from '../support/serviceSettlements.ts';

export type Shown = ShownSettlement;

export interface PaymentsWorld {
  readonly facilitator: Facilitator;
  readonly environment: Record<string, string>;
  /** Settles a good payment, and returns its hash. */
  settle(): Promise<{ hash: string; payment: Payment }>;
  /** Changes the journal's rows behind the service's back. */
  tamper(change: string, hash: string): Promise<void>;
  /** Runs `payments`. */
  run(...args: string[]): ReturnType<typeof runInside>;
  /** Runs `payments --json`. */
  list(...args: string[]): Promise<Shown[]>;
}

export async function openWorld(stage: Stage, store: StoreOfKeys): Promise<PaymentsWorld> {
  const facilitator = await stage.open(store.options);
  const environment = { ...store.environment, NETWORK, RPC_URL: stage.sandbox.url };
  const run = (...args: string[]) => runInside(['payments', ...args], environment);
  async function list(...args: string[]): Promise<Shown[]> {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return linesOf<Shown>(stdout);
  }
  return {
    facilitator,
    environment,
    async settle() {
      const payment = settlementsOn(stage).newPayment();
      const answer = await facilitator.settle(payment.request);
      expect(answer).toMatchObject({ success: true });
      const hash = answer.transaction;
      await expect
        .poll(async () => (await list()).find((shown) => shown.hash === hash)?.status)
        .toBe('settled');
      return { hash, payment };
    },
    async tamper(change, hash) {
      const { databaseUrl, dbPath } = store.options;
      const where = `SET ${change} WHERE hash = '${hash}'`;
      if (databaseUrl !== undefined) {
        await rowsOf(databaseUrl, `UPDATE facilitator.entry ${where}`);
        return;
      }
      const db = new DatabaseSync(journalPathOf(dbPath!), { timeout: 5_000 });
      db.exec(`UPDATE entry ${where}`);
      db.close();
    },
    run,
    list,
  };
}

export function linesOf<Line>(text: string): Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** Runs `payments` with nothing but this environment. */
export const runPayments = (environment: Record<string, string>, ...args: string[]) =>
  runInside(['payments', ...args], environment);

/** Sets a fault of the sandbox until the test ends. */
export function during(stage: Stage, fault: Parameters<Stage['sandbox']['faults']['add']>[0]): void {
  stage.sandbox.faults.add(fault);
  onTestFinished(() => stage.sandbox.faults.clear());
}

/** Less than 100,000 records take: a command that kept them would fail. */
const MAX_HEAP_MEGABYTES = 96;
const REPORT = `process.on('exit',()=>process.stderr.write(String(process.resourceUsage().maxRSS)))`;

/** Runs the command in its own process with little memory. Returns how much it wrote, and the most that it took. */
export async function runNarrow(env: Record<string, string>, ...args: string[]) {
  const flags = [
    `--max-old-space-size=${MAX_HEAP_MEGABYTES}`,
    `--import=data:text/javascript,${encodeURIComponent(REPORT)}`,
  ];
  const program = [...flags, 'dist/stellar-facilitator.js', 'payments', ...args];
  const { code, lines, stderr } = await startChild(process.execPath, program, { env }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^\d+$/) });
  console.log(`payments ${args.join(' ')}: ${Math.round(Number(stderr) / 1024)} MB`);
  return lines.length;
}
