/** What is read and not run: by the program that it is for, by people, or by CI, which runs the same. */
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
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
    expect(/\$schema=(\S+)/.exec(every)?.[1]).toBe('./src/config/policyFile/policy.schema.json');

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

interface Manifest {
  name: string;
  version: string;
  bin: Record<string, string>;
  scripts: Record<string, string>;
}

export const runByCi = scenario({
  rule: 'the commands that install and test the whole are those that CI runs: they name what there is',
  blocks: {
    tryIt: block('README.md', 'Try it', 'sh'),
    clone: block('docs/pubnet.md', '1. Install', 'sh'),
    package: block('docs/operator.md', 'Start', 'sh', 2),
  },
  play(text) {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
    const { name, version, scripts, bin } = manifest;
    expect(scripts).toMatchObject({ test: expect.any(String), 'package:test': expect.any(String) });
    const isKnown = (command: string): boolean => {
      const [, script] = /^npm (?:run )?([\w:]+)$/.exec(command) ?? [];
      const [, program = '', tool] = /^(?:\w+=\S+ )?npx (\S+)(?: (\w+).*)?$/.exec(command) ?? [];
      return (
        ['npm ci', 'git clone <this repository> facilitator', 'cd facilitator'].includes(command) ||
        command === `npm install ./${name}-${version}.tgz` ||
        (script !== undefined && Object.hasOwn(scripts, script)) ||
        (Object.hasOwn(bin, program) && (tool === undefined || COMMANDS.some((one) => one.name === tool)))
      );
    };
    const commands = [text.tryIt, text.clone, text.package]
      .flatMap((lines) => lines.trim().split(/ && |\n/))
      .map((command) => command.replace(/ +#.*/, ''));
    expect(commands.filter((command) => !isKnown(command))).toEqual([]);
  },
});
