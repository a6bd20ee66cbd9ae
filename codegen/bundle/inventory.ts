import { readFileSync } from 'node:fs';
import type { Plugin } from 'rolldown';
import { findPackages, type BundledPackage } from './packages.ts';

/** Licences that ask for no more than their own text and the names of the authors. */
const PERMISSIVE: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
]);

/**
 * Adds the licences and the bill of materials of what one or more bundles contain. Refuses licences that are not
 * permissive.
 */
export function createInventory(): Plugin {
  const modules = new Set<string>();
  return {
    name: 'inventory',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') for (const module of file.moduleIds) modules.add(module);
      const packages = findPackages([...modules]);
      const refused = packages.filter(({ license }) => !isPermissive(license));
      if (refused.length > 0) {
        const names = refused.map(({ name, version, license }) => `${name} ${version} (${license})`);
        throw new Error(`not under a permissive licence: ${names.join(', ')}`);
      }
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: licenses(packages) });
      this.emitFile({ type: 'asset', fileName: 'sbom.cdx.json', source: billOfMaterials(packages) });
    },
  };
}

/** Takes an SPDX expression. Asks for all licences of an `OR`, too: one would do, but then somebody must choose. */
const isPermissive = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(/ AND | OR /)
    .every((license) => PERMISSIVE.has(license));

function licenses(packages: readonly BundledPackage[]): string {
  const list = packages.map(({ name, version, license }) => `${name} ${version}: ${license}`);
  const texts = packages.map(({ name, licenseText }) => `--- ${name}\n\n${licenseText.trim()}\n`);
  return `This package contains code of other packages.\n\n${list.join('\n')}\n\n${texts.join('\n')}`;
}

/** As CycloneDX 1.6 has it. The hashes are those of the packages in the registry. */
function billOfMaterials(packages: readonly BundledPackage[]): string {
  const { name, version, license } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    name: string;
    version: string;
    license: string;
  };
  const component = (one: { name: string; version: string; license: string }) => ({
    type: 'library',
    'bom-ref': purl(one),
    name: one.name,
    version: one.version,
    purl: purl(one),
    licenses: [{ expression: one.license }],
  });
  const components = packages.map((one) => ({
    ...component(one),
    hashes: [{ alg: 'SHA-512', content: Buffer.from(one.sha512, 'base64').toString('hex') }],
  }));
  const application = { ...component({ name, version, license }), type: 'application' };
  return `${JSON.stringify(
    {
      $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: { component: application },
      components,
      dependencies: [{ ref: purl(application), dependsOn: components.map(({ purl: ref }) => ref) }],
    },
    null,
    1,
  )}\n`;
}

const purl = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;
