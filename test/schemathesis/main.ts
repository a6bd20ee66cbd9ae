/**
 * Schemathesis against the running service: `npm run schemathesis [-- --seed N] [--max-examples N]`. Ends with its exit
 * code. Its settings stand in schemathesis.toml, what it gets to know beside the contract in hooks.py.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openFilledService } from '../support/filledService.ts';
import { openPayments } from './payments.ts';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The virtual environment, and the working directory. */
const CACHE = pathOf('../../.cache/schemathesis/');
/** Written by hooks.py. */
const REACHED = `${CACHE}reached.json`;
const PINNED_PYTHON = `${CACHE}bin/python`;
const PYTHONS = ['python3', 'python'];
const IS_USABLE = 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))';
const SEEDS = 2 ** 32;

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(SEEDS)) },
    'max-examples': { type: 'string', default: '100' },
  },
});

const python = PYTHONS.find((name) => spawnSync(name, ['-c', IS_USABLE]).status === 0);
if (python === undefined) console.log('Schemathesis is skipped: there is no Python 3.11 or newer with venv.');
else process.exitCode = (await install(python)) || (await test()) || missed();

/** The pinned packages, and no others; takes seconds when they are there already. */
async function install(python: string): Promise<number> {
  mkdirSync(CACHE, { recursive: true });
  const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--no-deps'];
  return (
    (await run(python, ['-m', 'venv', CACHE])) ||
    (await run(PINNED_PYTHON, [...pip, '--requirement', pathOf('requirements.txt')]))
  );
}

async function test(): Promise<number> {
  rmSync(REACHED, { force: true });
  await using service = await openFilledService();
  await using payments = await openPayments(service);
  console.log(`seed ${options.seed}`);
  const place = ['--config-file', pathOf('../../schemathesis.toml'), 'run', pathOf('../../openapi.yaml')];
  const amount = ['--seed', options.seed, '--max-examples', options['max-examples'], '--continue-on-failure'];
  const environment = {
    SCHEMATHESIS_HOOKS: pathOf('hooks.py'),
    PAYMENTS_URL: payments.url,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const command = ['-m', 'schemathesis.cli', ...place, '--url', service.url, ...amount];
  return await run(PINNED_PYTHON, command, environment);
}

/** What the run never came to, as hooks.py has counted: nothing was said about its answers. */
function missed(): number {
  const reached = JSON.parse(readFileSync(REACHED, 'utf8')) as Record<string, number>;
  console.log('reached:', reached);
  return Object.values(reached).includes(0) ? 1 : 0;
}

/** A command's exit code. */
async function run(command: string, args: readonly string[], environment = {}): Promise<number> {
  const env = { ...process.env, ...environment };
  const child = spawn(command, args, { cwd: CACHE, stdio: 'inherit', env });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}
