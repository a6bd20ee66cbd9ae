import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readCodes } from './families.ts';
import { findingsIn, pageUrl, renderPage } from './page.ts';
import { rowOf } from './sightings.ts';

const root = new URL('../../', import.meta.url);

/**
 * Checks that docs/codes.md has the codes and conditions of openapi.yaml, and that the file of tests that it names for
 * each code exists. Only a run of the tests shows what they reach: see reporter.ts.
 */
export async function findCodeDrift(): Promise<string | undefined> {
  const { families } = await readCodes();
  const page = await readFile(pageUrl, 'utf8');
  const findings = findingsIn(page);
  const codes = families.flatMap(({ name, rows }) => rows.map(({ code }) => rowOf(name, code)));
  const problems = [
    ...codes.filter((code) => !findings.has(code)).map((code) => `${code} has no test`),
    ...[...findings]
      .filter(([, { file }]) => !existsSync(new URL(file, root)))
      .map(([code, { file }]) => `${code} names ${file}, which does not exist`),
    ...(page === (await renderPage(families, findings)) ? [] : ['it does not match openapi.yaml']),
  ];
  return problems.length === 0 ? undefined : ['docs/codes.md; run npm run codes', ...problems].join('\n');
}
