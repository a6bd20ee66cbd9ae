import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SETTLE_LIMITS } from '../../src/scheme/limits.ts';
import { RPC_LIMITS } from '../../src/stellar/limits.ts';

const page = readFileSync(new URL('../../docs/operator-reference.md', import.meta.url), 'utf8');

test.each(Object.entries({ ...RPC_LIMITS, ...SETTLE_LIMITS }))(
  'the operator’s page has the limit %s with its value %i',
  (name, value) => {
    expect(page).toMatch(new RegExp(`\`${name}\` ${value.toLocaleString('en')}(?!,?\\d)`));
  },
);
