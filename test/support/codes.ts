import { TestRunner } from 'vitest';
import { rowOf, type Sighting } from '../../codegen/codes/sightings.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The codes that the test saw in answers, each place once. */
    codes?: Sighting[];
  }
}

/** A code, if any, and the table of the contract that it belongs to. */
type Seen = Omit<Sighting, 'row'> & {
  family: 'ReasonCode' | 'ErrorDetail.code' | 'CatalogCode';
  code: string | undefined;
};

/** Notes on the running test that it saw this code, if any; codegen/codes makes docs/codes.md of these notes. */
export function noteCode({ family, code, ...where }: Seen): void {
  // There is no test in hooks around a whole file.
  const test = TestRunner.getCurrentTest();
  if (!test || code === undefined) return;
  const sighting = { row: rowOf(family, code), ...where };
  const noted = (test.meta.codes ??= []);
  const isNoted = noted.some((other) => JSON.stringify(other) === JSON.stringify(sighting));
  if (!isNoted) noted.push(sighting);
}
