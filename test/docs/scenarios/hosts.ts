/** The settings of hosts, each read as its host reads it, and started. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Keypair } from '@stellar/stellar-sdk';
import { parse } from 'smol-toml';
import { expect } from 'vitest';
import { VARIABLES } from '../../../src/agent/config.ts';
import { spawnHosted } from '../../agent/support/agent.ts';
import { temporaryFolder } from '../../catalog/temporaryFolder.ts';
import { childEnvironment } from '../../support/childEnvironment.ts';
import { block } from '../blocks.ts';
import { scenario } from '../scenario.ts';
import { fill, substitute } from '../substitutions.ts';

interface Started {
  command: string;
  args: string[];
  env: Record<string, string>;
}

const PAGE = 'docs/hosts.md';
const KEY = 'CLIENT_STELLAR_PRIVATE_KEY';

export const hosts = scenario({
  rule: 'each host starts the tool server with the settings of the agents’ page',
  blocks: {
    agents: block('docs/agent.md', 'Set it up', 'json'),
    common: block(PAGE, 'Hosts with `mcpServers`', 'json'),
    claudeCode: block(PAGE, 'Claude Code', 'sh'),
    vsCode: block(PAGE, 'VS Code', 'json'),
    codex: block(PAGE, 'Codex', 'toml'),
    zed: block(PAGE, 'Zed', 'json'),
  },
  async play(text) {
    const wanted = JSON.parse(text.agents).mcpServers['paid-resources'];
    const { [KEY]: _key, ...env } = wanted.env;
    const withFile = { ...wanted, env: { ...env, [`${KEY}_FILE`]: '/path/to/wallet.key' } };
    expect(VARIABLES).toEqual(expect.arrayContaining(Object.keys(wanted.env)));

    expect(JSON.parse(text.common)).toEqual({ mcpServers: { 'paid-resources': withFile } });
    expect(JSON.parse(text.zed)).toEqual({ context_servers: { 'paid-resources': withFile } });
    expect(parse(text.codex)).toEqual({ mcp_servers: { 'paid-resources': withFile } });
    expect(readByClaudeCode(text.claudeCode)).toEqual({ 'paid-resources': withFile });

    const { inputs, servers } = JSON.parse(text.vsCode);
    const [{ id, password }] = inputs;
    expect(password).toBe(true);
    const asked = { ...wanted.env, [KEY]: `\${input:${id}}` };
    expect(servers).toEqual({ 'paid-resources': { ...wanted, type: 'stdio', env: asked } });

    await startsWith(withFile);
  },
});

/** Returns the servers that a command line adds, as Claude Code reads it once a shell has. */
function readByClaudeCode(commands: string): Record<string, Started> {
  const script = `claude() { printf '%s\\n' "$@"; }\n${commands}`;
  const words = execFileSync('bash', ['-euc', script], { encoding: 'utf8' }).trimEnd().split('\n');
  expect(words.slice(0, 2)).toEqual(['mcp', 'add']);
  const { values, positionals } = parseArgs({
    args: words.slice(2),
    allowPositionals: true,
    options: {
      scope: { type: 'string' },
      transport: { type: 'string' },
      env: { type: 'string', multiple: true },
    },
  });
  expect(values).toMatchObject({ scope: 'user', transport: 'stdio' });
  const [server = '', command = '', ...args] = positionals;
  // Claude Code takes all words after `--env`, up to the next option, as variables.
  expect(words[words.indexOf(server) - 2]).toBe('--transport');
  const env = Object.fromEntries(values.env!.map((pair) => /^(\w+)=(.*)$/.exec(pair)!.slice(1)));
  return { [server]: { command, args, env } };
}

/** Starts what a host would, in this folder. */
async function startsWith({ command, args, env }: Started): Promise<void> {
  const key = Keypair.random();
  const file = join(temporaryFolder(), 'wallet.key');
  writeFileSync(file, key.secret(), { mode: 0o600 });
  const here = (text: string): string => substitute(text, { '/path/to/folder': resolve('.') });
  const agent = await spawnHosted({
    command: here(command),
    args: args.map(here),
    env: {
      ...childEnvironment,
      ...env,
      [`${KEY}_FILE`]: fill(env[`${KEY}_FILE`]!, { '/path/to/wallet.key': file }),
    },
  });
  expect(agent.stderr()).toContain(key.publicKey());
}
