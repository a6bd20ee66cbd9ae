import { expect, test } from 'vitest';
import { createLog } from '../../src/log/log.ts';
import { createExportLog } from '../../src/tracing/exportLog.ts';

test('losses are counted and logged rarely, and so is their end', () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog([], {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  let nowMs = 0;
  const exportLog = createExportLog(log, { everyMs: 60_000, now: () => nowMs });
  const error = new Error('connect ECONNREFUSED');
  exportLog.delivered();
  exportLog.lost(5, error);
  for (let i = 0; i < 1_000; i++) {
    exportLog.lost(2, error);
    exportLog.delivered();
    exportLog.warn('Dropped 7 spans');
  }
  nowMs = 60_000;
  exportLog.lost(1, error);
  nowMs = 120_000;
  exportLog.delivered();
  exportLog.delivered();
  expect(lines).toMatchObject([
    { level: 'warn', spans: 5, err: { message: 'connect ECONNREFUSED' } },
    { level: 'warn', text: 'Dropped 7 spans' },
    { level: 'warn', spans: 2_001 },
    { level: 'info', spans: 0, msg: 'the collector accepts spans again' },
  ]);
});
