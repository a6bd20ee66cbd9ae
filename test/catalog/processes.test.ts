import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditCatalog } from './auditedCatalog.ts';
import { startScript, type Child } from './child.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const PAYEES = ['GALICE', 'GBOB', 'GCAROL', 'GDAVE'];
const ROUNDS = 12;
const KEYS_PER_ROUND = 20;
const TIMEOUT_MS = 120_000;

const OWNED_BY_OTHER = 'bazaar_listing_owned_by_other_payee';

test(
  'of several processes that settle for one key at a time, the first owns the listing',
  { timeout: TIMEOUT_MS },
  async () => {
    const path = join(temporaryFolder(), 'catalog.db');
    // They make the file together as well.
    const rivals = PAYEES.map((payTo) => startScript('rivalWriter.ts', [path, payTo]));
    await Promise.all(rivals.map((rival) => rival.line('open')));

    const owners = new Map<string, string>();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const keys = Array.from({ length: KEYS_PER_ROUND }, (_, index) => `round${round}key${index}`);
      for (const rival of rivals) rival.tell(JSON.stringify(keys));
      const outcomes = await Promise.all(rivals.map((rival) => outcomesOf(rival, round)));
      for (const [index, key] of keys.entries()) {
        const ofKey = outcomes.map((all) => all[index]);
        const owner = ofKey.indexOf('success');
        expect(ofKey.toSpliced(owner, 1), key).toEqual(PAYEES.slice(1).map(() => OWNED_BY_OTHER));
        owners.set(key, PAYEES[owner]!);
      }
    }
    for (const rival of rivals) rival.kill('SIGKILL');
    await Promise.all(rivals.map(({ ended }) => ended));

    const catalog = auditCatalog(path);
    const stored = [...catalog.items].map(([key, { accepts }]) => [key, accepts.map(({ payTo }) => payTo)]);
    expect(new Map(stored as [string, string[]][])).toEqual(
      new Map([...owners].map(([key, owner]) => [key, [owner]])),
    );
    for (const [key, owner] of owners) {
      expect(catalog.found(key)).toEqual([key]);
      expect(catalog.items.get(key)!.description).toBe(`${key} by ${owner}`);
    }
    for (const payTo of PAYEES) {
      const owned = [...owners].filter(([, owner]) => owner === payTo).map(([key]) => key);
      expect(catalog.total({ payTo })).toBe(owned.length);
      expect(catalog.found(payTo.toLowerCase()).sort()).toEqual(owned.sort());
    }
    expect(catalog.found('by')).toHaveLength(ROUNDS * KEYS_PER_ROUND);
    expect(catalog.integrity()).toEqual({ integrity_check: 'ok' });
    catalog.close();
  },
);

async function outcomesOf(rival: Child, round: number): Promise<(string | null)[]> {
  const line = await rival.line(`outcomes${round} `);
  return JSON.parse(line.slice(line.indexOf(' '))) as (string | null)[];
}
