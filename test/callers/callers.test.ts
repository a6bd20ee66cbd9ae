import { expect, onTestFinished, test } from 'vitest';
import { createCallers, openKeysInFile, type KnownKeys } from '../../src/callers/index.ts';
import { DEFAULT_CALLERS } from '../../src/config/callers.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { silent } from '../support/service.ts';
import { bearer, makeKey, runKeys, storeInFile, type StoreOfKeys } from './stores.ts';

async function open({ options }: StoreOfKeys): Promise<KnownKeys> {
  const keys = await openKeysInFile(journalPathOf(options.dbPath!), silent);
  onTestFinished(() => keys.close());
  return keys;
}

const callersWith = (keys: KnownKeys) =>
  createCallers({ settings: DEFAULT_CALLERS, keys, messageOf: (code) => code });

test('a caller goes by its key, whatever its address, and without one by its address', async () => {
  const store = storeInFile();
  const { id, text } = await makeKey(store);
  const { identify } = callersWith(await open(store));
  for (const address of ['10.0.0.1', '10.0.0.2'])
    expect(identify('verifyPayment', bearer(text), address)).toEqual({ name: `key:${id}`, keyId: id });
  expect(identify('verifyPayment', {}, '10.0.0.1')).toEqual({ name: '10.0.0.1', keyId: undefined });
});

test('where payments need a key, their status needs one, too, and discovery does not', async () => {
  const store = storeInFile();
  await makeKey(store);
  const keys = await open(store);
  const settings = { ...DEFAULT_CALLERS, needKey: true };
  const { identify } = createCallers({ settings, keys, messageOf: (code) => code });
  const refused = { status: 401, code: 'svc_unauthorized' };
  expect(identify('settlePayment', {}, '10.0.0.1')).toMatchObject(refused);
  expect(identify('getSettlementStatus', {}, '10.0.0.1')).toMatchObject(refused);
  expect(identify('listResources', {}, '10.0.0.1')).toEqual({ name: '10.0.0.1', keyId: undefined });
});

test('a key in use has the limits that it was made with, and one that was revoked meanwhile is refused', async () => {
  const store = storeInFile();
  const [limited, revoked] = [await makeKey(store, '--settles-per-minute', '6'), await makeKey(store)];
  await runKeys(store, 'revoke', revoked.id);
  const { admit } = callersWith(await open(store));
  const admitted = (keyId: string) => admit('settlePayment', { name: `key:${keyId}`, keyId });
  expect(await admitted(limited.id)).toMatchObject({ headers: { 'ratelimit-policy': '"settle";q=6;w=60' } });
  expect(await admitted(revoked.id)).toMatchObject({ status: 401, code: 'svc_unauthorized' });
});

test('a key pays from its own budget, a revoked one for nothing, and callers without one from a common one', async () => {
  const store = storeInFile();
  const { id } = await makeKey(store, '--fee-budget', '70000');
  const revoked = await makeKey(store, '--fee-budget', '70000');
  await runKeys(store, 'revoke', revoked.id);
  const { budgetOf } = callersWith(await open(store));
  expect(budgetOf(id)).toMatchObject({ caller: `key:${id}`, callerStroops: 70_000 });
  expect(budgetOf(revoked.id)).toMatchObject({ callerStroops: 0 });
  expect(budgetOf(undefined)).toMatchObject({ caller: 'anonymous', callerStroops: undefined });
});
