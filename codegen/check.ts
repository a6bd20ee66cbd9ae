import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findUndeclared, isUnchanged, readRelease } from './breaking/guard.ts';
import { buildOasdiff } from './breaking/oasdiff.ts';
import { findCodeDrift } from './codes/check.ts';
import { generate, generatedUrl } from './generate.ts';
import { findHostProblems } from './hosts/check.ts';
import { assembleKernel, KERNEL } from './kernel.ts';

/** Runs a check. Returns what it found, undefined if nothing, or why it cannot run on this machine. */
type Check = () => Promise<string | undefined | { missing: string }>;

const root = fileURLToPath(new URL('..', import.meta.url));

const checks: Record<string, Check> = {
  format: async () => {
    const output = await tool('oxfmt', '--list-different')();
    return output && `${output}\nrun npm run format`;
  },
  'lint and types': tool('oxlint', '--type-check'),
  contract: tool('redocly', 'lint', 'openapi.yaml', 'operator.openapi.yaml'),
  drift: findDrift,
  codes: findCodeDrift,
  hosts: findHostProblems,
  breaking: findBreaking,
};

/** Makes a check from a command of node_modules/.bin, which fails by its exit code. */
function tool(name: string, ...args: string[]): () => Promise<string | undefined> {
  return () =>
    new Promise((resolve, reject) => {
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
      const child = spawn(process.execPath, [`node_modules/.bin/${name}`, ...args], { cwd: root, env });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.on('error', reject);
      child.on('close', (code) => resolve(code === 0 ? undefined : output));
    });
}

/** Checks that the generated files are up to date. */
async function findDrift(): Promise<string | undefined> {
  const stale = [];
  for (const [name, text] of await generate()) {
    const found = await readFile(new URL(name, generatedUrl), 'utf8').catch(() => undefined);
    if (found !== text) stale.push(`src/${name} is not what is generated; run npm run codegen`);
  }
  const kernel = await readFile(KERNEL).catch(() => undefined);
  if (kernel?.equals(await assembleKernel()) !== true)
    stale.push('scan.wasm is not what scan.wat gives; run npm run codegen');
  return stale.length > 0 ? stale.join('\n') : undefined;
}

/** Looks for changes of the contract that break clients of the last release and are not declared. */
async function findBreaking(): ReturnType<Check> {
  // On a new machine, building oasdiff takes a minute.
  if (await isUnchanged()) return undefined;
  const oasdiff = await buildOasdiff();
  return 'missing' in oasdiff ? oasdiff : findUndeclared(oasdiff.program, await readRelease());
}

async function run(name: string, check: Check): Promise<{ name: string; failure: string | undefined }> {
  const start = performance.now();
  const found = await check().catch((error: unknown) => String(error));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const result = found === undefined ? 'ok' : typeof found === 'string' ? 'FAIL' : 'skip';
  console.log(`${result.padEnd(4)}  ${name.padEnd(14)}  ${seconds.padStart(5)} s`);
  if (typeof found === 'object') console.log(`  skipped: ${found.missing}`);
  return { name, failure: typeof found === 'string' ? found : undefined };
}

const results = await Promise.all(Object.entries(checks).map(([name, check]) => run(name, check)));
for (const { name, failure } of results) {
  if (failure !== undefined) console.log(`\n--- ${name}\n${failure.trim()}`);
}
process.exitCode = results.some(({ failure }) => failure !== undefined) ? 1 : 0;
