import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { ask } from '../http/support.ts';
import { rowsOf } from '../postgres/server.ts';
import { useStage } from '../support/serviceStage.ts';
import { openFacilitator, type Facilitator } from '../support/service.ts';
import { bearer, makeKey, madeKey, runKeys, STORES, type StoreOfKeys } from './stores.ts';

const stage = useStage({ withFeeBump: false });
/** The rule is about a second; a busy machine is no failure. */
const WITHIN = { timeout: 8_000, interval: 50 };

describe.each(STORES)('keys in %s', (_store, openStore) => {
  const open = ({ options }: StoreOfKeys): Promise<Facilitator> =>
    stage.open({ ...options, callers: { needKey: true, discoveryNeedsKey: true } });
  const statusFor = async ({ url }: Facilitator, key: string): Promise<number> =>
    (await ask(`${url}/health`, { headers: bearer(key) })).status;

  test('made while the service runs are taken within seconds, and revoked ones refused', async () => {
    const store = await openStore();
    const first = await makeKey(store);
    const service = await open(store);
    expect(await statusFor(service, first.text)).toBe(200);
    const second = await makeKey(store);
    await expect.poll(() => statusFor(service, second.text), WITHIN).toBe(200);
    expect((await runKeys(store, 'revoke', first.id)).code).toBe(0);
    await expect.poll(() => statusFor(service, first.text), WITHIN).toBe(401);
    expect(await statusFor(service, second.text)).toBe(200);
  });

  test('are rotated at once: the new one is taken, and the old one refused', async () => {
    const store = await openStore();
    const old = await makeKey(store);
    const service = await open(store);
    const rotated = madeKey((await runKeys(store, 'rotate', old.id)).stdout);
    await expect.poll(() => statusFor(service, rotated.text), WITHIN).toBe(200);
    expect(await statusFor(service, old.text)).toBe(401);
  });

  test('and what was revoked outlive a restart', async () => {
    const store = await openStore();
    const [kept, revoked] = [await makeKey(store), await makeKey(store)];
    const submitters = [stage.sandbox.submitter()];
    const first = await openFacilitator({ rpcUrl: stage.sandbox.url, submitters, ...store.options });
    await runKeys(store, 'revoke', revoked.id);
    await first.close();
    const second = await open(store);
    expect(await statusFor(second, kept.text)).toBe(200);
    expect(await statusFor(second, revoked.text)).toBe(401);
  });

  test('read last stay valid while the store cannot be read, which is logged once', async () => {
    const store = await openStore();
    const key = await makeKey(store);
    const service = await open(store);
    const { away, back } = renaming(store);
    await away();
    await expect
      .poll(() => service.log.filter(({ msg }) => /keys of callers cannot be read/.test(String(msg))), {
        timeout: 20_000,
      })
      .toHaveLength(1);
    expect(await statusFor(service, key.text)).toBe(200);
    await back();
    expect((await runKeys(store, 'revoke', key.id)).code).toBe(0);
    await expect.poll(() => statusFor(service, key.text), { timeout: 20_000 }).toBe(401);
  });
});

/** Returns what takes the table of the keys away, and what puts it back. */
function renaming({ environment }: StoreOfKeys): { away(): unknown; back(): unknown } {
  const { DB_PATH: dbPath = '', DATABASE_URL: url } = environment;
  const rename = (from: string, to: string): unknown => {
    const change = `${from} RENAME TO ${to}`;
    if (url !== undefined)
      return rowsOf(url, `ALTER TABLE facilitator.${change}; SELECT pg_notify('facilitator_keys', '')`);
    using db = new DatabaseSync(journalPathOf(dbPath));
    return db.exec(`ALTER TABLE ${change}`);
  };
  return { away: () => rename('caller_key', 'other'), back: () => rename('other', 'caller_key') };
}
