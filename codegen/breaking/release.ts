import { copyFile } from 'node:fs/promises';
import { contractUrl } from '../generate.ts';
import { baselineUrl, findUndeclared, readRelease } from './guard.ts';
import { buildOasdiff } from './oasdiff.ts';

// The last step before a version is tagged: from now on clients are built from this contract.
const oasdiff = await buildOasdiff();
const problem =
  'missing' in oasdiff ? oasdiff.missing : await findUndeclared(oasdiff.program, await readRelease());
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 1;
} else {
  await copyFile(contractUrl, baselineUrl);
  console.log('codegen/breaking/baseline.yaml is now a copy of openapi.yaml');
}
