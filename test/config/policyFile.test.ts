import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair, StrKey } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { configure } from '../../src/config/config.ts';
import schema from '../../src/config/policyFile/policy.schema.json' with { type: 'json' };
import { readPolicyFile } from '../../src/config/policyFile/read.ts';
import { encodeMuxedContract } from '../../src/stellar/muxedContractText.ts';
import { startChild } from '../catalog/child.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { CHECK_SECRET, policyFile } from '../support/policy.ts';

const account = (n: number): string => StrKey.encodeEd25519PublicKey(Buffer.alloc(32, n));
const contract = (n: number): string => StrKey.encodeContract(Buffer.alloc(32, n));
const muxed = (n: number): string =>
  StrKey.encodeMed25519PublicKey(Buffer.concat([Buffer.alloc(32, n), Buffer.alloc(8, 9)]));
const mistyped = (address: string): string => address.slice(0, -1) + (address.endsWith('A') ? 'B' : 'A');
const accounts = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => {
    const raw = Buffer.alloc(32);
    raw.writeUInt32BE(n);
    return StrKey.encodeEd25519PublicKey(raw);
  });
const SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();

const problemsOf = (yaml: string, hasSecret = true): readonly string[] =>
  readPolicyFile(policyFile(yaml), hasSecret).problems ?? [];

test('a policy file is read into rules; a muxed address counts as the one behind it, and numbers are exact', () => {
  const yaml = `
assets: { allow: [${contract(1)}] }
recipients:
  deny: [${account(1)}, ${muxed(2)}, ${encodeMuxedContract({ contract: contract(3), id: 4n })}]
payers: { deny: [] }
amounts:
  ${contract(1)}: { least: '9007199254740993', greatest: '90071992547409930', stroopsPerBaseUnit: '0.0040' }
leastTimesFee: 2
check: { url: 'https://check.example/payment?of=us', ifSilent: accept }
`;
  expect(readPolicyFile(policyFile(yaml), true).rules).toEqual({
    assets: { kind: 'allow', addresses: new Set([contract(1)]) },
    recipients: { kind: 'deny', addresses: new Set([account(1), account(2), contract(3)]) },
    payers: { kind: 'deny', addresses: new Set() },
    amounts: new Map([
      [
        contract(1),
        {
          least: 9_007_199_254_740_993n,
          greatest: 90_071_992_547_409_930n,
          stroopsPerBaseUnit: { digits: 40n, places: 4n },
        },
      ],
    ]),
    leastTimesFee: 2,
    check: { url: 'https://check.example/payment?of=us', timeoutMs: 1_000, ifSilent: 'accept' },
  });
});

test('a problem of the schema is told by its description: every rule has one', () => {
  const described = (part: unknown): boolean => {
    const { description, properties = {}, items, $ref, additionalProperties } = part as Record<string, any>;
    const inner = [...Object.values(properties as object), items, additionalProperties];
    return (
      (typeof description === 'string' || $ref !== undefined) &&
      inner.filter((each) => typeof each === 'object').every(described)
    );
  };
  expect([schema, ...Object.values(schema.$defs)].filter((part) => !described(part))).toEqual([]);
});

describe('what is wrong is told with its line', () => {
  const KNOWN = 'the known keys are assets, recipients, payers, amounts, leastTimesFee, check';
  const NO_ADDRESS = 'is not a valid address: a character is missing or wrong';
  const AMOUNT = "must be a whole number of base units above zero in quotes, such as '1000'";
  const CHECK_URL = 'must be an absolute https URL, or an http URL of this machine';
  const wrong: [what: string, yaml: string, ...problems: string[]][] = [
    ['only a comment', '# nothing', 'line 1: the file must be a map of rules'],
    ['a list', '- assets', 'line 1: the file must be a map of rules'],
    ['no rule', '{}', `line 1: the file must not be empty: ${KNOWN}`],
    ['a broken list', 'leastTimesFee: 1\nassets: [', 'line 2: is not YAML: Flow sequence in block'],
    ['a repeated key', 'payers: 1\npayers: 2', 'line 2: is not YAML: Map keys must be unique'],
    ['two documents', '--- {}\n--- {}', 'line 2: is not YAML: Source contains multiple documents'],
    ['a tag', 'assets: !!js/function 1', 'line 1: is not YAML: Unresolved tag'],
    ['an unknown key', '\nassetz: {}', `line 2: the file must not have "assetz": ${KNOWN}`],
    ['a key of every object', '__proto__: {}', `line 1: the file must not have "__proto__": ${KNOWN}`],
    [
      'an unknown key inside',
      'check:\n  url: https://a.example\n  ifSilent: refuse\n  retries: 1',
      'line 4: check must not have "retries": the known keys are url, timeoutMs, ifSilent',
    ],
    ['a key of colours', '"\\e[31m": 1', `line 1: the file must not have "\\u001b[31m": ${KNOWN}`],
    [
      'an allowed and a denied list',
      `assets: { allow: [${contract(1)}], deny: [${contract(2)}] }`,
      'line 1: assets must have either allow or deny',
    ],
    ['nothing allowed', 'payers: { allow: [] }', 'line 1: payers.allow must not be empty'],
    [
      'addresses of other kinds',
      `assets: { deny: [${account(1)}] }\npayers:\n  deny:\n    - ${account(1)}\n    - ${muxed(1)}\n    - 7`,
      "line 1: assets.deny entry 1 must be the address of an asset's contract (C…)",
      'line 5: payers.deny entry 2 must be the address of an account or a contract (G… or C…)',
      'line 6: payers.deny entry 3 must be the address of an account or a contract (G… or C…)',
    ],
    [
      'mistyped addresses',
      `recipients:\n  deny:\n    - ${mistyped(account(1))}\n    - ${mistyped(muxed(1))}\n    - ${contract(1)}`,
      `line 3: recipients.deny entry 1 ${NO_ADDRESS}`,
      `line 4: recipients.deny entry 2 ${NO_ADDRESS}`,
    ],
    [
      'an account twice, once muxed',
      `recipients:\n  deny:\n    - ${account(1)}\n    - ${account(2)}\n    - ${muxed(1)}`,
      'line 5: recipients.deny entry 3 repeats entry 1',
    ],
    [
      'amounts of something else',
      `amounts:\n  USDC: { least: '1' }`,
      "line 2: amounts has a key that must be the address of an asset's contract (C…)",
    ],
    [
      'amounts of a mistyped asset',
      `amounts:\n  ${mistyped(contract(1))}: { least: '1' }`,
      `line 2: amounts has a key that ${NO_ADDRESS}`,
    ],
    ...['1000', '9007199254740993', "'0'", "'-1'", "'1.5'", "'1e3'", "'ten'", "'01'"].map(
      (least): [string, string, string] => [
        `a least amount of ${least}`,
        `amounts:\n  ${contract(1)}:\n    least: ${least}`,
        `line 3: amounts.${contract(1)}.least ${AMOUNT}`,
      ],
    ),
    ...['2.5', "'0.0'", "'-1'", "'.5'", "'1e3'"].map((price): [string, string, string] => [
      `a price of ${price}`,
      `amounts: { ${contract(1)}: { stroopsPerBaseUnit: ${price} } }`,
      `line 1: amounts.${contract(1)}.stroopsPerBaseUnit must be a decimal number above zero in quotes, such as '2.5'`,
    ]),
    [
      'a least amount above the greatest',
      `amounts:\n  ${contract(1)}:\n    greatest: '9'\n    least: '10'`,
      'line 4: least must not be above greatest',
    ],
    [
      'a multiple of the fee without a price',
      `leastTimesFee: 2\namounts: { ${contract(1)}: { least: '1' } }`,
      'line 1: leastTimesFee needs an asset with stroopsPerBaseUnit in amounts',
    ],
    [
      'a fraction of the fee',
      'leastTimesFee: 0.5',
      'line 1: leastTimesFee must be a whole number from 0 to 1000',
    ],
    ['half a check', 'check: { url: https://a.example }', 'line 1: check needs ifSilent'],
    [
      'a wish for silence that nobody knows',
      'check: { url: https://a.example, ifSilent: retry }',
      'line 1: check.ifSilent must be refuse or accept',
    ],
    [
      'a check that takes a minute',
      'check: { url: https://a.example, ifSilent: refuse, timeoutMs: 60000 }',
      'line 1: check.timeoutMs must be a whole number of milliseconds from 10 to 5000',
    ],
    ...['http://a.example', 'http://127.0.0.1.example', 'https://', 'ftp://a.example', '/check'].map(
      (url): [string, string, string] => [
        `a check at ${url}`,
        `check: { url: '${url}', ifSilent: refuse }`,
        `line 1: check.url ${CHECK_URL}`,
      ],
    ),
    [
      'a check with a password',
      'check: { url: https://me:secret@a.example, ifSilent: refuse }',
      'line 1: check.url must hold no user name and no password: the signature shows who asks',
    ],
    [
      'aliases that multiply',
      `a: &a [${'x,'.repeat(100)}]\nb: &b [${'*a,'.repeat(100)}]\nc: [${'*b,'.repeat(100)}]`,
      'line 1: is nested too deeply, or repeats too much by aliases',
    ],
    [
      'a list that is too long',
      `payers: { deny: [${accounts(10_001).join(', ')}] }`,
      'line 1: payers.deny must not have more than 10000 entries',
    ],
  ];
  test.each(wrong)('%s', (_what, yaml, ...problems) => {
    const told = problemsOf(yaml);
    expect(told).toHaveLength(problems.length);
    for (const [index, problem] of problems.entries())
      expect(told[index]!.slice(0, problem.length)).toBe(problem);
    for (const line of told) expect(line).not.toMatch(/\p{C}/u);
  });

  test('a check without a secret that signs its calls', () => {
    const yaml = 'leastTimesFee: 0\ncheck: { url: https://a.example, ifSilent: refuse }';
    expect(problemsOf(yaml)).toEqual([]);
    expect(problemsOf(yaml, false)).toEqual([
      expect.stringMatching(
        /^line 2: check needs the variable POLICY_CHECK_SECRET or POLICY_CHECK_SECRET_FILE/,
      ),
    ]);
  });

  test('lists in lists in lists, until the parser gives up', () => {
    expect(problemsOf('['.repeat(20_000))[0]).toMatch(/^line 1: is not YAML/);
  });

  test('of many problems, the first twenty', () => {
    const told = problemsOf(`payers:\n  deny:\n${'    - x\n'.repeat(30)}`);
    expect(told).toHaveLength(21);
    expect(told.at(0)).toMatch(/^line 3: /);
    expect(told.at(-1)).toBe('has 10 more problems');
  });
});

test('lists of 10,000 addresses are read', () => {
  const yaml = `payers:\n  deny:\n    - ${accounts(10_000).join('\n    - ')}\n`;
  expect(readPolicyFile(policyFile(yaml), true).rules?.payers?.addresses.size).toBe(10_000);
});

test.each([
  ['a secret key', SECRET, 'holds a secret key'],
  ['the secret of the check', CHECK_SECRET, 'holds the secret of a check'],
])('%s in the file is refused and not repeated', (_what, secret, problem) => {
  for (const yaml of [`payers:\n  deny: [${secret}]`, `payers: {}\n${secret}: [`, `#\n# ${secret}`]) {
    const told = problemsOf(yaml);
    expect(told).toEqual([expect.stringContaining(`line 2: ${problem}`)]);
    for (let at = 6; at + 6 <= secret.length; at += 1)
      expect(told.join()).not.toContain(secret.slice(at, at + 6));
  }
});

describe('a file that cannot be a policy', () => {
  test.each([
    [
      'that is missing',
      () => join(temporaryFolder(), 'none'),
      /^names \/.*none, which cannot be read \(ENOENT\)/,
    ],
    ['that is a folder', temporaryFolder, /regular file|EISDIR/],
    ['that is empty', () => policyFile(' \n'), /^names an empty file/],
    [
      'of more than a mebibyte',
      () => policyFile('#'.repeat(1024 * 1024 + 1)),
      /^names a file of more than 1048576/,
    ],
    [
      'that is a pipe',
      () => {
        const pipe = join(temporaryFolder(), 'pipe');
        execFileSync('mkfifo', [pipe]);
        return pipe;
      },
      /^names something that is not a regular file$/,
    ],
  ])('%s is one problem', (_what, path, problem) => {
    expect(readPolicyFile(path(), true).problems).toEqual([expect.stringMatching(problem)]);
  });
});

test('the problems of the file stand beside those of other variables', () => {
  const told = configure({
    SUBMITTER_SECRET: SECRET,
    DB_PATH: ':memory:',
    PORT: 'x',
    POLICY_FILE: policyFile('assetz: 1'),
    POLICY_CHECK_SECRET: 'short',
  });
  expect(told).toEqual({
    problems: [
      { variable: 'POLICY_CHECK_SECRET', text: expect.stringMatching(/^must be whsec_/) },
      { variable: 'PORT', text: expect.stringMatching(/^must be a whole number/) },
      { variable: 'POLICY_FILE', text: expect.stringMatching(/^line 1: the file must not have "assetz"/) },
    ],
  });
});

test('the secret of the check may be in a file of its own', () => {
  const secretFile = join(temporaryFolder(), 'secret');
  const environment = {
    SUBMITTER_SECRET: SECRET,
    DB_PATH: ':memory:',
    POLICY_FILE: policyFile('check: { url: https://a.example, ifSilent: refuse }'),
    POLICY_CHECK_SECRET_FILE: secretFile,
  };
  for (const content of [`${CHECK_SECRET}\n`, `POLICY_CHECK_SECRET=${CHECK_SECRET}\n`]) {
    writeFileSync(secretFile, content, { mode: 0o600 });
    expect(configure(environment)).toMatchObject({ secrets: { policyCheckSecret: CHECK_SECRET } });
  }
  writeFileSync(secretFile, SECRET);
  const told = configure(environment) as { problems: { variable: string; text: string }[] };
  expect(told.problems[0]).toEqual({
    variable: 'POLICY_CHECK_SECRET_FILE',
    text: expect.stringMatching(/^names a file whose text must be whsec_/),
  });
  expect(JSON.stringify(told)).not.toContain(SECRET.slice(0, 6));
});

test('a wrong file ends the start with 78 and a line for each problem', async () => {
  const env = {
    SUBMITTER_SECRET: SECRET,
    RPC_URL: 'http://127.0.0.1:1',
    DB_PATH: ':memory:',
    POLICY_FILE: policyFile(
      `payers:\n  deny:\n    - ${mistyped(account(1))}\n    - ${mistyped(account(2))}\n`,
    ),
  };
  const { code, lines, stderr } = await startChild(process.execPath, ['dist/stellar-facilitator.js'], { env })
    .ended;
  expect({ code, lines }).toEqual({ code: 78, lines: [] });
  expect(stderr).toBe(
    'POLICY_FILE line 3: payers.deny entry 1 is not a valid address: a character is missing or wrong\n' +
      'POLICY_FILE line 4: payers.deny entry 2 is not a valid address: a character is missing or wrong\n',
  );
});
