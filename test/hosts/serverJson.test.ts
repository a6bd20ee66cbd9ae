import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findHostProblems, problemsOfServer } from '../../codegen/hosts/check.ts';
import { spawnHosted } from '../agent/support/agent.ts';
import { childEnvironment } from '../support/childEnvironment.ts';

const read = (file: string): any => JSON.parse(readFileSync(file, 'utf8'));
const server = read('server.json');

test('server.json is up to date, and as the registry wants it', async () => {
  expect(await findHostProblems()).toBeUndefined();
  expect(problemsOfServer({ ...server, name: 'stellar-facilitator' })).not.toEqual([]);
  expect(problemsOfServer({ ...server, description: 'x'.repeat(101) })).not.toEqual([]);
});

test('it has the version of the package in both places, and the name by which the registry knows the owner', () => {
  const { name, version, mcpName } = read('package.json');
  expect(server).toMatchObject({ name: mcpName, version });
  expect(server.packages).toEqual([expect.objectContaining({ identifier: name, version })]);
});

test('npx, with its argument, starts the tool server', async () => {
  const { bin } = read('package.json');
  const [{ identifier, packageArguments }] = server.packages;
  const words = packageArguments.map(({ value }: { value: string }) => value);
  // npx takes the command that is named like the package.
  const agent = await spawnHosted({
    command: process.execPath,
    args: [bin[identifier], ...words],
    env: childEnvironment,
  });
  expect(agent.client.getServerVersion()).toMatchObject({ name: 'stellar-facilitator-mcp' });
});
