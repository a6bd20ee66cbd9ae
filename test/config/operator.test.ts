import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { toConfig, type Config } from '../../src/config/config.ts';
import { hiddenTexts } from '../../src/config/hiddenTexts.ts';
import type { Environment } from '../../src/config/environment.ts';

const TOKEN = 'an-operators-token-of-enough-characters';
const configured = (environment: Environment) =>
  toConfig({ SUBMITTER_SECRET: Keypair.random().secret(), ...environment });

function accepted(environment: Environment): Config {
  const found = configured(environment);
  if ('problems' in found) throw new Error(JSON.stringify(found.problems));
  return found.config;
}

function problems(environment: Environment): string[] {
  const found = configured(environment);
  return 'problems' in found ? found.problems.map(({ variable, text }) => `${variable} ${text}`) : [];
}

test('the operator’s port is 4022 on this machine alone, unless it is set or off', () => {
  expect(accepted({}).operator).toEqual({ host: '127.0.0.1', port: 4022, isPortChosen: false });
  expect(accepted({ OPERATOR_PORT: '0' }).operator).toMatchObject({ port: 0, isPortChosen: true });
  expect(accepted({ OPERATOR_PORT: 'off' }).operator).toBeUndefined();
});

test('a host that others reach needs a token', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost'])
    expect(problems({ OPERATOR_HOST: host }), host).toEqual([]);
  for (const host of ['0.0.0.0', '::', '10.0.0.1']) {
    expect(problems({ OPERATOR_HOST: host }), host).toEqual([
      expect.stringMatching(/^OPERATOR_TOKEN must be set/),
    ]);
    expect(problems({ OPERATOR_HOST: host, OPERATOR_TOKEN: TOKEN }), host).toEqual([]);
    expect(problems({ OPERATOR_HOST: host, OPERATOR_PORT: 'off' }), host).toEqual([]);
  }
});

test('a token that could be guessed, a wrong host and a wrong port are refused', () => {
  expect(problems({ OPERATOR_TOKEN: 'short' })).toEqual([
    expect.stringMatching(/^OPERATOR_TOKEN must be 32 to/),
  ]);
  expect(problems({ OPERATOR_HOST: 'operator.example' })[0]).toMatch(/^OPERATOR_HOST must be an IP address/);
  expect(problems({ OPERATOR_PORT: '70000' })).toEqual([expect.stringMatching(/^OPERATOR_PORT must be/)]);
});

test('the two ports must differ, also where one of them is the default', () => {
  const both = [{ PORT: '4030', OPERATOR_PORT: '4030' }, { PORT: '4022' }, { OPERATOR_PORT: '4021' }];
  for (const ports of both)
    expect(problems(ports)).toEqual([expect.stringMatching(/^OPERATOR_PORT must differ from PORT/)]);
  expect(problems({ PORT: '4022', OPERATOR_PORT: 'off' })).toEqual([]);
  expect(problems({ PORT: '0', OPERATOR_PORT: '0' })).toEqual([]);
});

test('the token is hidden from the log', () => {
  const found = configured({ OPERATOR_TOKEN: TOKEN });
  if ('problems' in found) throw new Error('refused');
  expect(hiddenTexts(found.config, found.secrets)).toContain(TOKEN);
});

test('the number of settlements that are kept is a setting', () => {
  expect(accepted({}).settlementsKept).toBeUndefined();
  expect(accepted({ SETTLEMENTS_KEPT: '1000000' }).settlementsKept).toBe(1_000_000);
  expect(problems({ SETTLEMENTS_KEPT: '10' })).toEqual([expect.stringMatching(/^SETTLEMENTS_KEPT must be/)]);
});
