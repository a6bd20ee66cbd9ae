import type { Codes } from './families.ts';

/** That a code was seen: in which part of the public surface, and with which HTTP status. */
export interface Sighting {
  code: string;
  /** In Markdown: a path of the contract in backticks, or words. */
  place: string;
  /** None where there is no answer: a code that only the scheme itself gives. */
  status?: number;
}

/** A test that passed, and what it saw. */
export interface PassedTest {
  /** From the root of the repository, with slashes. */
  file: string;
  /** Its full name, `suite > test`. */
  name: string;
  /** Its place among the tests of its file. */
  index: number;
  sightings: readonly Sighting[];
}

/** What docs/codes.md says of a code beside the contract. */
export interface Finding {
  where: string;
  file: string;
  name: string;
}

/**
 * For each code that was seen, where that was and the test to name: the one named until now if it still reaches the
 * code, so that the page stays as it is; else the one that says most about it.
 */
export function findingsOf(
  { families, paths }: Codes,
  passed: readonly PassedTest[],
  namedNow: ReadonlyMap<string, Finding>,
): Map<string, Finding> {
  const familyOf = new Map(families.flatMap(({ name, rows }) => rows.map(({ code }) => [code, name])));
  const byCode = new Map<string, { tests: PassedTest[]; sightings: Sighting[] }>();
  for (const test of passed) {
    for (const sighting of test.sightings) {
      if (!isGenuine(test.file, familyOf.get(sighting.code))) continue;
      const seen = byCode.get(sighting.code) ?? { tests: [], sightings: [] };
      byCode.set(sighting.code, seen);
      seen.tests.push(test);
      seen.sightings.push(sighting);
    }
  }
  return new Map(
    [...byCode].map(([code, { tests, sightings }]) => {
      const named = namedNow.get(code);
      const kept = tests.find(({ file, name }) => file === named?.file && name === named.name);
      const { file, name } = kept ?? tests.sort(byWorth(code))[0]!;
      return [code, { where: whereOf(sightings, paths), file, name }];
    }),
  );
}

/**
 * Answers are made up in test/contract; in test/http the scheme and the catalog are played, so that only the codes of
 * the service itself are reached there.
 */
function isGenuine(file: string, family: string | undefined): boolean {
  if (file.startsWith('test/contract/')) return false;
  return !file.startsWith('test/http/') || family === undefined || family === 'EnvelopeCode';
}

/** First the tests of a table of codes, then those named after the code, those that see no other, by file and order. */
function byWorth(code: string): (a: PassedTest, b: PassedTest) => number {
  const worth = ({ file, name, sightings }: PassedTest): number =>
    (file.includes('/codes.') ? 4 : 0) +
    (name.includes(code) ? 2 : 0) +
    (sightings.every((seen) => seen.code === code) ? 1 : 0);
  return (a, b) => worth(b) - worth(a) || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.index - b.index);
}

/** All places, those with the same statuses together: "`/verify`, `/settle`: 200". */
function whereOf(sightings: readonly Sighting[], paths: readonly string[]): string {
  const statusesOf = new Map<string, Set<number>>();
  for (const { place, status } of sightings) {
    const statuses = statusesOf.get(place) ?? new Set();
    statusesOf.set(place, statuses);
    if (status !== undefined) statuses.add(status);
  }
  const inOrder = paths.map((path) => `\`${path}\``);
  const others = [...statusesOf.keys()].filter((place) => !inOrder.includes(place)).sort();
  const places = [...inOrder.filter((place) => statusesOf.has(place)), ...others];
  const statusText = (place: string): string => [...statusesOf.get(place)!].sort().join(', ');
  return [...Map.groupBy(places, statusText)]
    .map(([statuses, alike]) => alike.join(', ') + (statuses && `: ${statuses}`))
    .join('; ');
}
