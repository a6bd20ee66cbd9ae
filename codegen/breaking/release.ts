import { copyFile } from 'node:fs/promises';
import { contractUrl } from '../generate.ts';
import { baselineUrl, findUndeclared, readRelease } from './guard.ts';

// The last step before a version is tagged: from now on clients are built from this contract.
const undeclared = findUndeclared(await readRelease());
if (undeclared !== undefined) {
  console.error(undeclared);
  process.exitCode = 1;
} else {
  await copyFile(contractUrl, baselineUrl);
  console.log('codegen/breaking/baseline.yaml is openapi.yaml now');
}
