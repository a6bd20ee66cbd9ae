import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS } from '../../bench/attack/attacks.ts';
import { GOODPUT } from '../../bench/attack/questions.ts';
import { failuresOf, wellPercent } from '../../bench/attack/report.ts';
import { runAttack } from '../../bench/attack/run.ts';
import { openField, type Field } from '../../bench/field.ts';

const LEDGER_MS = 960;
const RESIDENT_LIMIT_MIB = 512;
const WELL_PERCENT = 95;
/** A queue that collapses leaves 14. bench/attack checks the goal of 80 on a quiet machine. */
const GOODPUT_PERCENT = 30;
const TIMEOUT_MS = 90_000;

let field: Field;
beforeAll(async () => {
  field = await openField({ ledgerMs: LEDGER_MS });
});
afterAll(() => field[Symbol.asyncDispose]());

describe('the service lives, within its memory, and answers honest callers, under', () => {
  for (const attack of ATTACKS)
    test(
      attack.title,
      async () => {
        const outcome = await runAttack(field, 'ours', attack, attack.short);
        const { isAlive, peakMib, counts, asked } = outcome;
        const settlements = asked.filter(({ kind }) => kind === 'settle');
        expect.soft(isAlive).toBe(true);
        expect.soft(peakMib).toBeLessThanOrEqual(RESIDENT_LIMIT_MIB);
        expect.soft(wellPercent(asked), failuresOf(outcome)).toBeGreaterThanOrEqual(WELL_PERCENT);
        if (settlements.length > 0)
          expect.soft(wellPercent(settlements), failuresOf(outcome)).toBeGreaterThanOrEqual(WELL_PERCENT);
        if (GOODPUT in counts) expect.soft(counts[GOODPUT]).toBeGreaterThanOrEqual(GOODPUT_PERCENT);
      },
      TIMEOUT_MS,
    );
});
