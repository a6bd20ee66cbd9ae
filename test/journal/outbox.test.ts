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
    if (statement === 'wrong') throw Object.assign(new Error('a value is wrong'), { code: '22021' });
    written.push(statement);
    return [];
  };
  const outbox = createOutbox({ db: { query }, log: silent, limits });
  for (const statement of ['wrong', 'right']) outbox.add(statement, []);
  await outbox.close();
  expect(written).toEqual(['right']);
});

test('a write that meets a lock, or a table that is being restored, is made again', async () => {
  const written: string[] = [];
  const codes = ['40P01', '55P03', '42P01'];
  const query = async (statement: string): Promise<[]> => {
    const code = codes.shift();
    if (code !== undefined) throw Object.assign(new Error('not now'), { code });
    written.push(statement);
    return [];
  };
  const outbox = createOutbox({ db: { query }, log: silent, limits });
  outbox.add('first', []);
  await outbox.close();
  expect(written).toEqual(['first']);
});
