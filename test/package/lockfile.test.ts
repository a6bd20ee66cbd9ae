import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  bin?: Record<string, string>;
  os?: string;
  cpu?: string;
}

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
const manifest = read('package.json') as {
  scripts: Record<string, string>;
  optionalDependencies: Record<string, string>;
};
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };
const installed = Object.entries(packages).filter(([path]) => path !== '');
const nodes = installed.filter(([, { bin }]) => bin?.['node'] !== undefined);

/** What stands for a command in a script: not an argument, not a variable. */
function commandsOf(script: string): string[] {
  return script
    .replaceAll(/"(\\.|[^"\\])*"/g, '')
    .split('&&')
    .map((part) =>
      part
        .trim()
        .split(/\s+/)
        .find((word) => !word.includes('='))!,
    );
}

describe('the lockfile', () => {
  test('pins each package by its hash, wherever it is downloaded from', () => {
    const loose = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(loose).toEqual([]);
    expect(installed.filter(([, { resolved, link }]) => resolved !== undefined || link)).toEqual([]);
  });

  test('has no package that runs a script at the install, by which it could bring what is not pinned', () => {
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });

  test('has the binaries that npm scripts run', () => {
    const commands = new Set(Object.values(manifest.scripts).flatMap(commandsOf));
    commands.delete('npm');
    expect(commands).toContain('node');
    const bins = installed.flatMap(([, { bin = {} }]) => Object.keys(bin));
    expect([...commands].filter((command) => !bins.includes(command))).toEqual([]);
  });

  test('has one Node of one version for each of the usual platforms, and no other', () => {
    const platforms = nodes.map(([, { os, cpu }]) => `${os} ${cpu}`);
    expect(platforms.toSorted()).toEqual([
      'darwin arm64',
      'darwin x64',
      'linux arm64',
      'linux x64',
      'win32 x64',
    ]);
    expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1);
    const wanted = nodes.map(([path, { version }]) => [path.replace('node_modules/', ''), version]);
    expect(manifest.optionalDependencies).toEqual(Object.fromEntries(wanted));
  });
});
