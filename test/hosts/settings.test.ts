import { expect, test } from 'vitest';
import { hostSettings } from '../../codegen/hosts/settings.ts';
import { takeEnvironment, toMcpConfig, VARIABLES } from '../../src/agent/config.ts';

const settings = hostSettings();
/** Hosts start the program on stdio. */
const onStdio = VARIABLES.filter((name) => !name.startsWith('SVC_MCP_HTTP_'));

test('hosts are told of every variable that the program reads on stdio, and of no other', () => {
  expect(settings.map(({ name }) => name)).toEqual(onStdio);
});

test.each(settings.filter((one) => one.default !== undefined))(
  'the default of $name means the same as no text',
  ({ name, default: value }) => {
    const configured = toMcpConfig(takeEnvironment({ [name]: value }));
    expect(configured).toHaveProperty('config');
    expect(configured).toEqual(toMcpConfig({}));
  },
);

test('hosts keep secret what the program takes out of its environment, and URLs that may hold a key', () => {
  const environment: Record<string, string> = Object.fromEntries(onStdio.map((name) => [name, 'x']));
  takeEnvironment(environment);
  const taken = onStdio.filter((name) => !(name in environment));
  expect(taken).toContain('CLIENT_STELLAR_PRIVATE_KEY');
  expect(
    settings
      .filter(({ isSecret }) => isSecret)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...taken, 'RPC_URL'].toSorted());
});
