import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { mcpBundle } from '../../codegen/hosts/bundle.ts';
import { problemsOfManifest } from '../../codegen/hosts/check.ts';
import { hostSettings } from '../../codegen/hosts/settings.ts';
import { VERSION } from '../../src/process/version.ts';
import { spawnHosted } from '../agent/support/agent.ts';
import { newWallet, useAgentStage } from '../agent/support/stage.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { childEnvironment } from '../support/childEnvironment.ts';

const stage = useAgentStage();
const bundle = mcpBundle();
const files = unzipSync(bundle);
const manifest = JSON.parse(strFromU8(files['manifest.json']!));

/** Unpacks the bundle where nothing else is, until the test ends. */
function unpack(): string {
  const folder = temporaryFolder();
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

/**
 * Starts the server as a host does, with what a person wrote into its settings. A host replaces a placeholder by that or
 * else by the default, and leaves it if there is neither.
 */
function install(written: Record<string, string>) {
  const folder = unpack();
  const values = new Map<string, string>([['__dirname', folder]]);
  for (const [key, { default: value }] of Object.entries<any>(manifest.user_config))
    if (value !== undefined) values.set(`user_config.${key}`, value);
  for (const [key, value] of Object.entries(written)) values.set(`user_config.${key}`, value);
  const meant = (text: string): string =>
    text.replaceAll(/\$\{([^}]+)\}/g, (placeholder, name: string) => values.get(name) ?? placeholder);
  const { command, args, env } = manifest.server.mcp_config;
  // The manifest asks the host for a Node that is new enough.
  const path = [dirname(process.execPath), childEnvironment.PATH].join(delimiter);
  return spawnHosted({
    command: meant(command),
    args: args.map(meant),
    env: {
      ...childEnvironment,
      PATH: path,
      ...Object.fromEntries(Object.entries<string>(env).map(([name, text]) => [name, meant(text)])),
    },
    cwd: folder,
  });
}

const written = (environment: object): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name.toLowerCase(), value]));

test('the manifest is as its schema says, and hides what is secret', () => {
  expect(problemsOfManifest(manifest)).toEqual([]);
  expect(problemsOfManifest({ ...manifest, user_config: { key: { type: 'secret' } } })).not.toEqual([]);
  expect(manifest.version).toBe(VERSION);
  expect(files).toHaveProperty([manifest.server.entry_point]);
  for (const { name, isSecret } of hostSettings())
    expect(manifest.user_config[name.toLowerCase()], name).toMatchObject({ sensitive: isSecret });
});

test('the same files give the same bytes', () => {
  expect(Buffer.from(mcpBundle()).equals(bundle)).toBe(true);
});

test('the server inside answers a search with the settings that a person wrote, and has the wallet', async () => {
  const { key, environment } = newWallet(stage);
  const agent = await install(written(environment));
  expect(agent.client.getServerVersion()).toMatchObject({
    name: 'stellar-facilitator-mcp',
    version: VERSION,
  });
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => ({ name }))).toEqual(manifest.tools);
  await stage.list(
    { url: 'https://api.example.com/weather', description: 'bundledweather' },
    { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } },
  );
  const { isError, structured } = await agent.search('bundledweather');
  expect(isError).toBe(false);
  expect(structured.resources).toHaveLength(1);
  expect(agent.stderr()).toContain(key.publicKey());
});

test('it starts for a person who wrote nothing, without a wallet', async () => {
  const agent = await install({});
  expect(agent.stderr()).toContain('"wallet":null');
});
