import { readFile, writeFile } from 'node:fs/promises';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { readCodes } from './families.ts';
import { findingsIn, pageUrl, renderPage } from './page.ts';
import { stale, untested } from './problems.ts';
import { findingsOf, type PassedTest } from './sightings.ts';

/**
 * Checks docs/codes.md against what the tests saw, at the end of a run of all tests that passed; other runs show too
 * little. Fails the run if a code is not reached, or if the page is no longer true. With `write`, writes the page.
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
      const wanted = await renderPage(codes.families, findings);
      const problems = untested(codes, findings);
      if (!write && page !== wanted) problems.push(...stale(findingsIn(page), findings));
      if (problems.length > 0) {
        process.exitCode = 1;
        vitest.logger.error(['', 'Codes', ...problems, ''].join('\n  '));
      } else if (write) {
        await writeFile(pageUrl, wanted);
        vitest.logger.log('docs/codes.md is written');
      }
    },
  };
}

/** True when nothing was left out by name, file or shard. */
async function isWhole(vitest: Vitest, modules: readonly TestModule[]): Promise<boolean> {
  if (vitest.getGlobalTestNamePattern() !== undefined) return false;
  const all = await vitest.globTestSpecifications();
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  return all.every(({ moduleId }) => ran.has(moduleId));
}

function passedIn({ relativeModuleId: file, children }: TestModule): PassedTest[] {
  return [...children.allTests('passed')].flatMap((test) => {
    const { codes: sightings } = test.meta();
    return sightings ? [{ file, sightings }] : [];
  });
}
