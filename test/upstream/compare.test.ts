import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readUpstreams, report, type Upstream } from '../../codegen/upstream/compare.ts';

const upstream: Upstream = {
  what: 'a thing',
  version: '17.2.0',
  registry: 'npm',
  name: 'thing',
  compare: 'whole',
  read: 'its notes',
  then: 'the code',
};
const said = (changes: Partial<Upstream>, newest: string | undefined) =>
  report([{ ...upstream, ...changes }], async () => newest);

describe('of what the code was written against', () => {
  test.each([['17.2.1'], ['17.10.0'], ['18.0.0']])(
    'a newer version, %s, is named, and what to read then',
    async (newest) => {
      expect(await said({}, newest)).toEqual([
        `a thing  written against 17.2.0, newest ${newest}`,
        '  read:  its notes',
        '  then:  the code',
      ]);
    },
  );

  test.each(['17.2.0', '17.1.9', '16.9.9'])('an older one, %s, is not', async (newest) => {
    expect(await said({}, newest)).toEqual(['a thing  written against 17.2.0, the newest']);
  });

  test('where only the first number counts, the others do not', async () => {
    expect(await said({ version: '30', compare: 'major' }, '30.1.2')).toHaveLength(1);
    expect(await said({ version: '30', compare: 'major' }, '31.0.0')).toHaveLength(3);
  });

  test('what the registry does not tell is skipped, and said', async () => {
    expect(await said({}, undefined)).toEqual([
      'a thing  written against 17.2.0; skipped: the registry (npm) did not answer',
    ]);
  });

  test('packages are named with the versions that are installed', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const packages = readUpstreams().filter(
      ({ registry, compare }) => registry === 'npm' && compare === 'whole',
    );
    expect(packages.length).toBeGreaterThan(3);
    for (const { name, version } of packages)
      expect(`${name} ${lock.packages[`node_modules/${name}`]?.version}`).toBe(`${name} ${version}`);
  });
});
