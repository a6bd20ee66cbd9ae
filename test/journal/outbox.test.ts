import { expect, test } from 'vitest';
import { createOutbox } from '../../src/journal/postgres/outbox.ts';
import { DatabaseUnavailable } from '../../src/store/databaseErrors.ts';
import { silent } from '../support/service.ts';

const limits = { retryAfterMs: 1, flushWithinMs: 1_000, outboxKept: 3 };

test('writes wait for the database, in order, and no more than may', async () => {
  const written: string[] = [];
  let isDown = true;
  const query = async (statement: string): Promise<[]> => {
    if (isDown) throw new DatabaseUnavailable('down');
    written.push(statement);
    return [];
  };
  const outbox = createOutbox({ db: { query }, log: silent, limits });
  for (const statement of ['first', 'second', 'third', 'fourth']) outbox.add(statement, []);
  isDown = false;
  await outbox.close();
  expect(written).toEqual(['first', 'second', 'third']);
});

test('a write that the database refuses does not hold up the next', async () => {
  const written: string[] = [];
  const query = async (statement: string): Promise<[]> => {
    if (statement === 'wrong') throw new Error('syntax error');
    written.push(statement);
    return [];
  };
  const outbox = createOutbox({ db: { query }, log: silent, limits });
  for (const statement of ['wrong', 'right']) outbox.add(statement, []);
  await outbox.close();
  expect(written).toEqual(['right']);
});
