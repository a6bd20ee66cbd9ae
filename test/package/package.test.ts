import type { ChildProcess } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Keypair } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import type { SettleResponse } from '../../src/contract/index.ts';
import { addressesIn, submitterSecretIn } from '../accounts/accountsProcess.ts';
import { ask, post } from '../http/support.ts';
import { requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { installPackage, type Installed } from './installed.ts';

/** An install with what it depends on may take long. */
const INSTALL_TIMEOUT_MS = 300_000;
const COMMAND = 'stellar-facilitator';
const TOOLS = COMMANDS.map(({ name }) => name);
/** Options with which Node says that it is older than it is. */
const OLD_NODE = `--import=data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process,'versions',{value:{...process.versions,node:'24.10.9'}})`,
)}`;

/** The texts of a file and of all that it imports before it runs. */
function loadedWith(file: string): string[] {
  const files = new Set([file]);
  // The loop also visits what it adds to the set.
  for (const name of files)
    for (const [, other] of installed.read(name).matchAll(/^(?:import|export)\b[^"]*?"\.\/([^"]+)";$/gm))
      files.add(`dist/${other}`);
  return [...files].map((name) => installed.read(name));
}

let installed: Installed;
let sandbox: TestSandbox;
beforeAll(async () => {
  [installed, sandbox] = await Promise.all([installPackage(), openSandbox()]);
}, INSTALL_TIMEOUT_MS);
afterAll(async () => {
  await sandbox.close();
  installed.remove();
});

describe('the package', () => {
  test('has what runs and what explains it, and nothing else', () => {
    const explained = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'openapi.yaml'];
    const forOperators = [
      'ops/alerts.yaml',
      'ops/dashboard.json',
      'ops/stellar-facilitator.service',
      'operator.openapi.yaml',
      '.env.example',
    ];
    const others = installed.files.filter(
      (file) =>
        !/^dist\/[\w.-]+\.(js|wasm|zst)$|^dist\/(built|console)\/|^docs\/[\w-]+\.(md|svg)$/.test(file),
    );
    const contents = [
      'dist/index.d.ts',
      'dist/licenses.txt',
      'dist/policy.schema.json',
      'dist/sbom.cdx.json',
    ];
    expect(others.toSorted()).toEqual([...explained, ...forOperators, ...contents].toSorted());
    expect(installed.files).toContain('docs/operator.md');
    const console = ['console.css', 'console.js', 'favicon.svg', 'index.html'];
    expect(installed.files.filter((file) => file.startsWith('dist/console/')).toSorted()).toEqual(
      console.map((name) => `dist/console/${name}`),
    );
  });

  test('is built with commands that can be run, as npx does in a clone', () => {
    const commands = Object.values(installed.manifest.bin);
    expect(commands.map((file) => (statSync(file).mode & 0o777).toString(8))).toEqual(['755', '755']);
  });

  test('needs no other package, and names all that it contains with their licences', () => {
    expect(installed.manifest.dependencies).toBeUndefined();
    const { components } = JSON.parse(installed.read('dist/sbom.cdx.json')) as {
      components: { name: string; version: string; hashes: { content: string }[] }[];
    };
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['@stellar/stellar-sdk', 'koa', 'openapi-backend', 'pg']));
    const licenses = installed.read('dist/licenses.txt');
    for (const { name, version, hashes } of components) {
      expect(licenses).toContain(`\n${name} ${version}: `);
      expect(licenses).toContain(`\n--- ${name}\n`);
      expect(hashes[0]!.content).toMatch(/^[0-9a-f]{128}$/);
    }
    // A package that is imported and not contained would be missing where this one is installed.
    const imported = installed.files
      .filter((file) => /^dist\/[^/]+\.js$/.test(file))
      .flatMap((file) => [...installed.read(file).matchAll(/^(?:import|export)\b[^"]*?\bfrom "([^"]+)";$/gm)])
      .map(([, name]) => name!);
    expect(imported).toContain('node:fs');
    expect(imported.filter((name) => !isBuiltin(name) && !name.startsWith('./'))).toEqual([]);
  });

  test('is built when it is packed, and has no script that npm would run or warn of where it is installed', () => {
    const { prepack, preinstall, install, postinstall, prepare } = installed.manifest.scripts;
    expect(prepack).toBe('npm run build');
    expect([preinstall, install, postinstall, prepare].filter(Boolean)).toEqual([]);
  });

  test('has a script for each of its commands', () => {
    for (const file of Object.values(installed.manifest.bin)) {
      expect(installed.read(file)).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  test('says in one line which Node it needs, where that is too old, and exits 78', async () => {
    const { code, stderr } = await installed.run(COMMAND, ['accounts', 'list'], { NODE_OPTIONS: OLD_NODE });
    expect(code).toBe(78);
    const least = installed.manifest.engines.node.replace('>=', '');
    expect(stderr).toMatch(/^stellar-facilitator needs Node\.js .+\n$/);
    expect(stderr).toContain(`Node.js ${least} or newer, and this is 24.10.9`);
    expect(stderr).toMatch(/"npx npm@11 install".* and start it with npx\n$/);
  });
});

describe('its library', () => {
  const PROGRAM = `import { createFacilitator, type Facilitator } from 'stellar-facilitator';
const facilitator: Promise<Facilitator> = createFacilitator({ DB_PATH: ':memory:' });
await facilitator.catch((error: Error) => console.log(error.message));
`;

  test('is found by its name, and says what is wrong with the settings', async () => {
    writeFileSync(join(installed.folder, 'library.mts'), PROGRAM);
    const { code, stdout } = await installed.run('node', ['library.mts']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^SUBMITTER_SECRET is missing/),
    });
  });

  test('says which Node it needs, where that is too old', async () => {
    writeFileSync(join(installed.folder, 'library.mts'), PROGRAM);
    const { code, stdout } = await installed.run('node', ['library.mts'], { NODE_OPTIONS: OLD_NODE });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^stellar-facilitator needs Node\.js .+ is 24\.10\.9: .+"npx node <file>"\n$/,
      ),
    });
    // An older Node loads all that is imported before the first line runs, and lacks this module.
    expect(loadedWith('dist/index.js').filter((text) => text.includes('node:sqlite'))).toEqual([]);
  });

  test('loads no client of PostgreSQL and no OpenTelemetry unless they are configured', () => {
    const main = installed.files.find(
      (file) => /^dist\/.*\.js$/.test(file) && installed.read(file).includes('\n// src/main.ts\n'),
    );
    const loaded = loadedWith(main!);
    expect(loaded.some((text) => text.includes('// node_modules/koa/'))).toBe(true);
    for (const late of ['pg', '@opentelemetry/sdk-trace'])
      expect(loaded.filter((text) => text.includes(`// node_modules/${late}/`))).toEqual([]);
  });

  test('has code in ASCII, which V8 keeps in one byte for each character', () => {
    const code = installed.files.filter((file) =>
      /^dist\/(service-.*|stellar-.*|index|worker)\.js$/.test(file),
    );
    expect(code).not.toEqual([]);
    expect(code.filter((file) => /[^\0-\x7f]/.test(installed.read(file)))).toEqual([]);
  });

  test.each(['nodenext', 'bundler'])('has types for module resolution %s', async (resolution) => {
    writeFileSync(
      join(installed.folder, 'types.mts'),
      `${PROGRAM}// @ts-expect-error\nawait createFacilitator(7);\n`,
    );
    const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
    const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', module];
    const { code, stdout } = await installed.run('node', [
      ...[tsc, ...options, '--moduleResolution', resolution],
      ...['--lib', 'es2022,dom', 'types.mts'],
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });
});

describe('its command', () => {
  test('is found by npx', async () => {
    const { code, stdout } = await installed.run('npx', ['--no', COMMAND, '--', '--help']);
    expect(code).toBe(0);
    for (const tool of TOOLS)
      expect(stdout).toMatch(new RegExp(`^  npx stellar-facilitator ${tool} … +[A-Z]`, 'm'));
  });

  test.each(TOOLS)(
    'has %s, which is an npm script, too, and explains it as it is called in the package',
    async (tool) => {
      const { code, stdout, stderr } = await installed.run(COMMAND, [tool, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage:\n  npx stellar-facilitator ${tool} `);
      expect(stdout).not.toContain('npm run');
      expect(installed.manifest.scripts[tool]).toBe(`node dist/stellar-facilitator.js ${tool}`);
    },
  );

  test.each([
    'stellar-facilitator',
    'stellar-facilitator-mcp',
    ...TOOLS.map((tool) => `stellar-facilitator ${tool}`),
  ])('%s --version prints the version', async (call) => {
    const [command, ...words] = call.split(' ');
    expect(await installed.run(command!, [...words, '--version'])).toEqual({
      code: 0,
      stdout: `${installed.manifest.version}\n`,
      stderr: '',
    });
  });

  test('runs the demo on the local network that it contains', async () => {
    const { code, stdout } = await installed.run(COMMAND, ['demo']);
    expect(code).toBe(0);
    expect(stdout).toContain('Every claim above was checked.');
  });

  test('without a configuration exits 78, and names commands of the package', async () => {
    const { code, stderr } = await installed.run(COMMAND, [], { DB_PATH: ':memory:' });
    expect(code).toBe(78);
    expect(stderr).toMatch(/^SUBMITTER_SECRET is missing/);
    expect(stderr).toContain('npx stellar-facilitator accounts create');
    expect(stderr).not.toContain('npm run');
  });

  test('does not know every word, and exits 64', async () => {
    const { code, stderr } = await installed.run(COMMAND, ['toString']);
    expect(code).toBe(64);
    expect(stderr).toBe(
      'there is no command "toString": name accounts, keys, payments, listings, catalog, verify-receipt, backup, migrate, rehearse, doctor, mcp, demo, or sandbox\nSee: npx stellar-facilitator --help\n',
    );
  });

  test('makes accounts, settles with them, shows them, and copies the catalog', async () => {
    const environment = { RPC_URL: sandbox.url };
    const made = await installed.run(COMMAND, ['accounts', 'create', '--count', '2'], environment);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('npx stellar-facilitator') });
    const file = join(installed.folder, 'submitters.env');

    const service = await startService({ ...environment, SUBMITTER_SECRET: submitterSecretIn(file) });
    const { body: settled } = await post(`${service.url}/settle`, JSON.stringify(payment()));
    expect(settled as SettleResponse).toMatchObject({ success: true });
    expect((await ask(`${service.url}/discovery/search?query=weather`)).status).toBe(200);
    expect(await service.stop()).toBe(0);

    const shown = await installed.run(COMMAND, ['accounts', 'list', '--json', '--file', file], environment);
    const { accounts } = JSON.parse(shown.stdout) as { accounts: { address: string; balance: string }[] };
    expect(accounts.map(({ address }) => address)).toEqual(addressesIn(file));
    expect(accounts.map(({ balance }) => balance)).toContainEqual(expect.stringMatching(/^9999\./));

    const copied = await installed.run(COMMAND, ['backup', 'copy.db'], {});
    expect(copied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^copy\.db holds the catalog/m) });
  });
});

test('its tool server for agents explains itself, and refuses what it does not know', async () => {
  const help = await installed.run('stellar-facilitator-mcp', ['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('--check') });
  const unknown = await installed.run('stellar-facilitator-mcp', ['--chek']);
  expect(unknown).toMatchObject({
    code: 64,
    stdout: '',
    stderr: expect.stringContaining('--chek: not known'),
  });
  const secret = Keypair.random().secret();
  const leaking = await installed.run('stellar-facilitator-mcp', [secret]);
  expect(leaking).toMatchObject({ code: 64, stdout: '' });
  expect(leaking.stderr).not.toContain(secret);
});

test('its tool server for agents starts under its own command, and offers its tools', async () => {
  const child = installed.start('stellar-facilitator-mcp', []);
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await client.connect(overPipes(child));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search_resources', 'paid_call']);
  expect(client.getServerVersion()).toMatchObject({
    name: 'stellar-facilitator-mcp',
    version: installed.manifest.version,
  });
});

/** Speaks to a process that was started as a shell does it. */
function overPipes({ stdin, stdout }: ChildProcess): StdioServerTransport {
  return new StdioServerTransport(stdout!, stdin!);
}

/** Starts the service of the package and waits until it listens. */
async function startService(environment: Record<string, string>) {
  const child = installed.start(COMMAND, [], { PORT: '0', ...environment });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    const read = (text: Buffer): void => {
      output += text.toString();
      const line = output.split('\n').find((candidate) => candidate.includes('"listening"'));
      if (line) resolve((JSON.parse(line) as { url: string }).url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void exit.then(() => reject(new Error(output)));
  });
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
      return exit;
    },
  };
}

function payment() {
  const requirements = requirementsFor(sandbox.account(0n).publicKey());
  const key = sandbox.account();
  const expiration = sandbox.expirationIn(requirements.maxTimeoutSeconds);
  return requestFor(requirements, signTransfer({ key, requirements, expiration, nonce: sandbox.nonce() }));
}
