import type { Codes } from './families.ts';

/** Records that a code was seen: in which part of the public surface, and with which HTTP status. */
export interface Sighting {
  /** `ReasonCode invalid_network`: a code may be in two tables, with another meaning in each. */
  row: string;
  /** In Markdown: a path of the contract in backticks, or words. */
  place: string;
  /** Undefined if there is no answer: for a code that only the scheme itself gives. */
  status?: number;
}

/** A test that passed, and what it saw. */
export interface PassedTest {
  /** From the root of the repository, with slashes. */
  file: string;
  sightings: readonly Sighting[];
}

/** The part of a row of docs/codes.md that does not come from the contract. */
export interface Finding {
  where: string;
  /** A file of tests that reach the code. */
  file: string;
}

/** Identifies a row by its table and its code. */
export const rowOf = (family: string, code: string): string => `${family} ${code}`;

const codeIn = (row: string): string => row.split(' ')[1]!;

/**
 * Returns, for each code that was seen, the places and the file to name. That is the file named until now if its tests
 * still reach the code, so that the page stays as it is, or else the file that says most about it.
 */
export function findingsOf(
  { paths }: Pick<Codes, 'paths'>,
  passed: readonly PassedTest[],
  namedNow: ReadonlyMap<string, Finding>,
): Map<string, Finding> {
  const byRow = new Map<string, { tests: PassedTest[]; sightings: Sighting[] }>();
  for (const test of passed) {
    for (const sighting of test.sightings) {
      if (!isGenuine(test.file, sighting.row)) continue;
      const seen = byRow.get(sighting.row) ?? { tests: [], sightings: [] };
      byRow.set(sighting.row, seen);
      seen.tests.push(test);
      seen.sightings.push(sighting);
    }
  }
  return new Map(
    [...byRow].map(([row, { tests, sightings }]) => {
      const named = namedNow.get(row)?.file;
      const { file } = tests.find((test) => test.file === named) ?? tests.sort(byWorth(row))[0]!;
      return [row, { where: whereOf(sightings, paths), file }];
    }),
  );
}

/**
 * True when a test really reaches a code. Tests in test/contract make up the answers. Tests in test/http fake the
 * scheme and the catalog, so they reach only the codes of the service itself.
 */
function isGenuine(file: string, row: string): boolean {
  if (file.startsWith('test/contract/')) return false;
  return !file.startsWith('test/http/') || codeIn(row).startsWith('svc_');
}

/** Sorts the tests of a table of codes first, then those that see no other code, then by file. */
function byWorth(row: string): (a: PassedTest, b: PassedTest) => number {
  const worth = ({ file, sightings }: PassedTest): number =>
    (file.includes('/codes.') ? 2 : 0) + (sightings.every((seen) => seen.row === row) ? 1 : 0);
  return (a, b) => worth(b) - worth(a) || (a.file < b.file ? -1 : a.file > b.file ? 1 : 0);
}

/** Returns all places, those with the same statuses together: "`/verify`, `/settle`: 200". */
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
