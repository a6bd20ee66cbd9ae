import { readFile, writeFile } from 'node:fs/promises';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { readCodes } from './families.ts';
import type { Codes } from './families.ts';
import { findingsIn, pageUrl, renderPage } from './page.ts';
import { findingsOf } from './sightings.ts';
import type { Finding, PassedTest } from './sightings.ts';

/**
 * Holds docs/codes.md to what the tests saw, at the end of a run of all tests that passed; other runs show too little.
 * The run fails where a code is not reached or the page is not true any more, or the page is written anew.
 */
export function codesReporter({ write = false } = {}): Reporter {
  let vitest: Vitest;
  return {
    onInit(started) {
      vitest = started;
    },
    async onTestRunEnd(modules, errors, reason) {
      if (reason !== 'passed' || errors.length > 0 || !(await isWhole(vitest, modules))) return;
      const codes = await readCodes();
      const passed = modules.flatMap(passedIn);
      const page = await readFile(pageUrl, 'utf8').catch(() => '');
      const findings = findingsOf(codes, passed, findingsIn(page));
      const problems = untested(codes, findings);
      const wanted = await renderPage(codes.families, findings);
      if (problems.length === 0 && write) await writeFile(pageUrl, wanted);
      else if (page !== wanted) problems.push(...stale(findingsIn(page), findings));
      if (problems.length === 0) return;
      process.exitCode = 1;
      vitest.logger.error(`\nCodes\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
    },
  };
}

/** Whether nothing was left out by name, file or shard. */
async function isWhole(vitest: Vitest, modules: readonly TestModule[]): Promise<boolean> {
  if (vitest.getGlobalTestNamePattern() !== undefined) return false;
  const all = await vitest.globTestSpecifications();
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  return all.every(({ moduleId }) => ran.has(moduleId));
}

function passedIn({ relativeModuleId: file, children }: TestModule): PassedTest[] {
  return [...children.allTests('passed')].flatMap((test, index) => {
    const { codes: sightings } = test.meta();
    return sightings ? [{ file, name: test.fullName, index, sightings }] : [];
  });
}

/** Codes of the contract that no test reaches, and codes that tests see and the contract does not have. */
function untested({ families }: Codes, findings: ReadonlyMap<string, Finding>): string[] {
  const codes = new Set(families.flatMap(({ rows }) => rows.map(({ code }) => code)));
  return [
    ...[...codes]
      .filter((code) => !findings.has(code))
      .map((code) => `${code}: no test reaches this code of openapi.yaml; write one`),
    ...[...findings]
      .filter(([code]) => !codes.has(code))
      .map(([code, { file, name }]) => `${code}: is not in openapi.yaml, and ${file} sees it: ${name}`),
  ];
}

function stale(now: ReadonlyMap<string, Finding>, wanted: ReadonlyMap<string, Finding>): string[] {
  const changed = [...wanted].flatMap(([code, { where, file, name }]) => {
    const row = now.get(code);
    if (!row) return [`${code}: has no row`];
    return [
      ...(row.where === where ? [] : [`${code}: was seen at ${where}; the row says ${row.where}`]),
      ...(row.file === file && row.name === name
        ? []
        : [`${code}: is not reached any more by the test that its row names, ${row.file}: ${row.name}`]),
    ];
  });
  return ['docs/codes.md is not true any more; run npm run codes, and look at what changes', ...changed];
}
