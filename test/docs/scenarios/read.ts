/** What is read and not run: by the program that it is for, by people, or by CI, which runs the same. */
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import schema from '../../../src/config/policyFile/policy.schema.json' with { type: 'json' };
import { readPolicyFile } from '../../../src/config/policyFile/read.ts';
import { policyFile } from '../../support/policy.ts';
import { block } from '../blocks.ts';
import { scenario } from '../scenario.ts';

export const policies = scenario({
  rule: 'the policy files are read as they stand, and the line for editors names the schema',
  blocks: {
    every: block('docs/operator-reference.md', 'Policy', 'yaml'),
    strangers: block('docs/strangers.md', 'Three examples', 'yaml'),
  },
  play({ every, strangers }) {
    const { rules, problems } = readPolicyFile(policyFile(every), true);
    expect(problems).toBeUndefined();
    const written = Object.entries(rules!).filter(([, rule]) => rule !== undefined);
    expect(written.map(([name]) => name)).toEqual(Object.keys(schema.properties));
    const [, packed = ''] = /\$schema=\.\/node_modules\/stellar-facilitator\/(\S+)/.exec(every)!;
    expect(JSON.parse(readFileSync(packed, 'utf8'))).toEqual(schema);

    const { rules: forStrangers } = readPolicyFile(policyFile(strangers), false);
    expect(forStrangers?.amounts.size).toBe(1);
    expect(forStrangers?.assets?.addresses).toEqual(new Set(forStrangers?.amounts.keys()));
  },
});

export const diagrams = scenario({
  rule: 'the diagrams name endpoints that the contract has, and parts that there are',
  blocks: {
    payment: block('README.md', 'How a payment travels', ''),
    parts: block('docs/architecture.md', 'How it is built', ''),
  },
  play({ payment, parts }) {
    const contract = readFileSync('openapi.yaml', 'utf8');
    const paths = [...payment.matchAll(/POST (\/\w+)/g)].map(([, path]) => path!);
    expect(paths).toEqual(['/verify', '/settle']);
    for (const path of paths) expect(contract).toContain(`\n  ${path}:\n`);
    const names = [...parts.matchAll(/(?<![\w.])[a-z]+(?![\w.])/g)].map(([name]) => name);
    const missing = names.filter(
      (name) => !['npm', 'run', 'codegen', 'threads', 'or'].includes(name) && !isPart(name),
    );
    expect(missing).toEqual([]);
  },
});

const isPart = (name: string): boolean => existsSync(`src/${name}`) || existsSync(`src/${name}.ts`);

export const runByCi = scenario({
  rule: 'the commands that try the whole are those that CI runs: they name scripts that there are',
  blocks: { tryIt: block('README.md', 'Try it', 'sh') },
  play({ tryIt }) {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const commands = tryIt
      .trim()
      .split(/ && |\n/)
      .map((command) => command.replace(/ +#.*/, ''));
    const named = commands.map((command) => /^npm (?:run )?([\w:]+)$/.exec(command)?.[1] ?? command);
    expect(named.filter((name) => name !== 'ci' && !Object.hasOwn(scripts, name))).toEqual([]);
  },
});
