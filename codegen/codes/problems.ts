import type { Codes } from './families.ts';
import { rowOf, type Finding } from './sightings.ts';

/** Returns the codes of the contract that no test reaches, and those that tests saw but the contract lacks. */
export function untested({ families }: Codes, findings: ReadonlyMap<string, Finding>): string[] {
  const codes = families.flatMap(({ name, rows }) => rows.map(({ code }) => rowOf(name, code)));
  const unreached = codes.filter((code) => !findings.has(code));
  const unknown = [...findings].filter(([code]) => !codes.includes(code));
  return [
    ...unreached.map((code) => `${code}: no test reaches this code of openapi.yaml; write one`),
    ...unknown.map(([code, { file }]) => `${code}: is not in openapi.yaml, but ${file} saw it`),
  ];
}

/** Returns the rows of a page that differ from what the tests of this run show. */
export function stale(said: ReadonlyMap<string, Finding>, shown: ReadonlyMap<string, Finding>): string[] {
  const rows = [...shown].flatMap(([code, { where, file }]) => {
    const row = said.get(code);
    if (!row) return [`${code}: has no row`];
    return [
      ...(row.where === where ? [] : [`${code}: was seen at ${where}, but its row says ${row.where}`]),
      ...(row.file === file ? [] : [`${code}: is no longer reached by the tests of its row, ${row.file}`]),
    ];
  });
  return [
    'docs/codes.md does not match what the tests saw; run npm run codes, and check what changes',
    ...rows,
  ];
}
