import { join } from 'node:path';
import { journalPathOf } from '../src/config/databasePath.ts';
import { openField, type Field } from './field.ts';
import { LEDGER_MS } from './network.ts';
import { measureExport } from './operator/export.ts';
import { fillJournal, type Filled } from './operator/filledJournal.ts';
import { measurePages } from './operator/pages.ts';
import buildIfChanged from '../test/support/built.ts';
import { measurePaint } from './operator/paint.ts';
import { measureTracing } from './operator/tracing.ts';
import { say } from './progress.ts';
import type { Result } from './results.ts';
import { describeTurns, TURNS, TURNS_REHEARSAL, type TurnsPlan } from './turns.ts';

interface Plan {
  settlements: number;
  paints: number;
  turns: TurnsPlan;
}

const PLAN: Plan = { settlements: 1_000_000, paints: 10, turns: TURNS };
const REHEARSAL: Plan = { settlements: 20_000, paints: 1, turns: TURNS_REHEARSAL };

type Measured = Pick<Result, 'sections' | 'goals'>;

/** Measures the operator's port on a journal of very many settlements, and what tracing costs. */
export async function benchOperator(isRehearsal: boolean): Promise<Result> {
  const plan = isRehearsal ? REHEARSAL : PLAN;
  await using field = await openField({ ledgerMs: LEDGER_MS });
  const port = await measurePort(field, plan);
  const tracing = await measureTracing(field, plan.turns);
  return {
    name: 'operator',
    sides: ['this service', 'without tracing'],
    notes: [
      `A journal in a file: settlements of 90 days, of 50,000 payers, 5,000 recipients and 50 callers, of which the first has a fifth; one in 25 did not settle, and 20 are pending. It is scraped every 15 seconds.`,
      'A page: every combination of the eight filters, with values that many settlements have, that few have and that none has. Each question is asked three times, one after the other; its time is the median, over loopback, with all of the answer. The slowest 50 are asked fifteen times again in the end, and have that median instead.',
      'All is exported twice, and read as fast as this process can, which asks for /health every 20 ms during the second export. Resident memory before and after is taken after a forced garbage collection.',
      'Chromium has an empty cache each time. Its requests pass through Playwright, which checks them.',
      `Tracing sends all spans to a collector on this machine. ${describeTurns(plan.turns)} A service without the hooks does not exist: what they cost while tracing is off is measured alone, in a loop.`,
    ],
    sections: [...port.sections, tracing.section],
    goals: [...port.goals, ...tracing.goals],
  };
}

async function measurePort(field: Field, { settlements, paints }: Plan): Promise<Measured> {
  // The service reads the console's files when it starts.
  buildIfChanged();
  let filled!: Filled;
  await using server = await field.startServer('ours', {
    submitters: 1,
    connections: 1,
    hasMetrics: true,
    settlementsKept: settlements,
    fill: (folder) => (filled = fillJournal(journalPathOf(join(folder, 'catalog.db')), settlements)),
  });
  say('operator: the service has started');
  const measured = [
    await measurePages(server.operatorPort!, filled),
    await measureExport(server, filled),
    await measurePaint(server.operatorPort!, paints),
  ].filter((one) => one !== undefined);
  return {
    sections: measured.map(({ section }) => section),
    goals: measured.flatMap(({ goals }) => goals),
  };
}
