import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of which the bundle contains at least one module. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  readonly licenseText: string;
  /** The hash of the registry's archive, in base64. */
  readonly sha512: string;
}

/** A package may lie in the folder of another one. */
const FOLDER = /(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+/;

/** Returns the packages that some modules come from, by name. Each is read once per version. */
export function findPackages(modules: readonly string[]): BundledPackage[] {
  const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { integrity: string }>;
  };
  const folders = new Set(modules.map(folderOf).filter((folder) => folder !== undefined));
  return [...folders]
    .map((folder) => read(folder, locked[folder]!.integrity))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
}

/** Returns the folder of a module's package as the lockfile names it; undefined for our own modules. */
function folderOf(module: string): string | undefined {
  return FOLDER.exec(module.replaceAll('\\', '/'))?.[0].slice(0, -1);
}

function read(folder: string, integrity: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  const [file] = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e}*', { cwd: folder });
  return {
    name,
    version,
    license: license ?? 'none',
    // Some packages name their licence only.
    licenseText: file === undefined ? `${license}` : readFileSync(join(folder, file), 'utf8'),
    sha512: integrity.replace('sha512-', ''),
  };
}
