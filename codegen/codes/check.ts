import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readCodes } from './families.ts';
import { findingsIn, pageUrl, renderPage } from './page.ts';
import { rowOf } from './sightings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Checks that docs/codes.md has the codes and conditions of openapi.yaml, and that the test that it names for each code
 * exists. Only a run of the tests shows what they reach: see reporter.ts.
 */
export async function findCodeDrift(): Promise<string | undefined> {
  const { families } = await readCodes();
  const page = await readFile(pageUrl, 'utf8');
  const findings = findingsIn(page);
  const codes = families.flatMap(({ name, rows }) => rows.map(({ code }) => rowOf(name, code)));
  const files = [...new Set([...findings.values()].map(({ file }) => file))];
  const tests = await testsIn(files);
  const problems = [
    ...codes.filter((code) => !findings.has(code)).map((code) => `${code} has no test`),
    ...[...findings]
      .filter(([, { file, name }]) => !tests.has(`${file}: ${name}`))
      .map(([code, { file, name }]) => `${code} names a test that ${file} does not have: ${name}`),
    ...(page === (await renderPage(families, findings)) ? [] : ['it is not what openapi.yaml has']),
  ];
  return problems.length === 0 ? undefined : ['docs/codes.md; run npm run codes', ...problems].join('\n');
}

/** Returns the full names of the tests in these files, without running them. */
async function testsIn(files: readonly string[]): Promise<Set<string>> {
  if (files.length === 0) return new Set();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // Last, since --json takes a file to write to.
    ['node_modules/.bin/vitest', 'list', ...files, '--no-static-parse', '--json'],
    { cwd: root, maxBuffer: MAX_OUTPUT_BYTES },
  );
  const listed = JSON.parse(stdout) as { name: string; file: string }[];
  return new Set(listed.map(({ name, file }) => `${file.slice(root.length)}: ${name}`));
}
