import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findUndeclared } from '../../codegen/breaking/guard.ts';
import { findBreakingChanges } from '../../codegen/breaking/operations.ts';
import { breakingChanges, compatibleChanges, type ContractChange } from './contractChanges.ts';

const contract = parse(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));

function findingsOf(edit: (contract: any) => void, prepare: (contract: any) => void = () => {}): string[] {
  const before = structuredClone(contract);
  prepare(before);
  const after = structuredClone(before);
  edit(after);
  return findBreakingChanges({ before, after }).map(({ place, rule }) => `${place} (${rule})`);
}

describe('a change that breaks clients is found, where it is and by its rule', () => {
  it.each(breakingChanges)('$change', ({ edit, prepare, findings }: ContractChange) => {
    expect(findingsOf(edit, prepare).sort()).toEqual([...findings].sort());
  });
});

describe('a change that breaks no client is not found', () => {
  it.each(compatibleChanges)('$change', ({ edit, prepare }: ContractChange) => {
    expect(findingsOf(edit, prepare)).toEqual([]);
  });
});

describe('schemas', () => {
  it('that refer to themselves are compared, and come to an end', () => {
    const tree = (contract: any) => {
      contract.components.schemas.VerifyResponse.properties.extra = { $ref: '#/components/schemas/Tree' };
      contract.components.schemas.Tree = {
        properties: { left: { $ref: '#/components/schemas/Tree' }, size: { type: 'integer' } },
      };
    };
    const edit = (contract: any) => (contract.components.schemas.Tree.properties.size.type = 'number');
    expect(findingsOf(edit, tree)).toEqual(['Tree.size (response-type-widened)']);
  });

  it('that no operation refers to count as request and as response', () => {
    const lone = (contract: any) => (contract.components.schemas.Lone = { type: 'integer' });
    const edit = (contract: any) => (contract.components.schemas.Lone.type = 'string');
    expect(findingsOf(edit, lone)).toEqual(['Lone (request-type-narrowed)', 'Lone (response-type-widened)']);
  });

  it('inside a condition count as request and as response', () => {
    const hidden = (contract: any) => {
      contract.components.schemas.Word = { type: 'string', maxLength: 9 };
      contract.components.schemas.ResourceInfo.not = {
        properties: { url: { $ref: '#/components/schemas/Word' } },
      };
    };
    const edit = (contract: any) => (contract.components.schemas.Word.maxLength = 10);
    expect(findingsOf(edit, hidden)).toEqual(['Word (response-maxLength-widened)']);
  });

  it('that are missing are told of', () => {
    const edit = (contract: any) => delete contract.components.schemas.SupportedKind;
    expect(() => findingsOf(edit)).toThrow('the contract has no component SupportedKind');
  });
});

describe('the guard', () => {
  const broken = structuredClone(contract);
  const { HealthResponse } = broken.components.schemas;
  HealthResponse.required = HealthResponse.required.filter((name: string) => name !== 'x402Version');
  broken.components.schemas.CatalogCode.enum.push('bazaar_new');
  const lines = [
    '- `CatalogCode "bazaar_new"` (response-value-added) Wallets may show it.',
    '- `HealthResponse.x402Version` (response-property-optional)',
  ];
  const changelog = (heading: string, kept = lines, list = 'Breaking') =>
    `# Changelog\n\n## ${heading}\n\n### ${list}\n\n${kept.join('\n')}\n\n### Added\n\n- More.\n\n## [0.0.1]\n`;

  function guard(released: string, version: string, log: string, next = broken): string | undefined {
    const before = { ...contract, info: { version: released } };
    return findUndeclared({ before, after: { ...next, info: { version } }, changelog: log });
  }

  it('has nothing to say where nothing breaks', () => {
    expect(guard('0.1.0', '0.1.0', '', contract)).toBeUndefined();
  });

  it.each([
    ['0.1.0', '0.2.0'],
    ['0.1.9', '1.0.0'],
    ['1.4.2', '2.0.0'],
  ])('lets a declared change of %s pass in %s', (released, version) => {
    expect(guard(released, version, changelog(`[${version}] - 2026-12-01`))).toBeUndefined();
    expect(guard(released, version, changelog('[Unreleased]'))).toBeUndefined();
  });

  it.each([
    ['0.1.0', '0.1.0', '0.2.0'],
    ['0.1.0', '0.1.1', '0.2.0'],
    ['0.2.0', '0.1.0', '0.3.0'],
    ['1.4.2', '1.5.0', '2.0.0'],
    ['2.0.0', '1.9.0', '3.0.0'],
  ])('finds that %s is not raised enough in %s', (released, version, wanted) => {
    const text = guard(released, version, changelog(`[${version}]`));
    expect(text).toBe(
      `openapi.yaml breaks clients of ${released}: set its info.version, now ${version}, to ${wanted} or higher.`,
    );
  });

  it('says which lines the changelog lacks', () => {
    const text = guard('0.1.0', '0.2.0', changelog('[0.2.0]', lines.slice(0, 1)));
    expect(text).toBe(
      'CHANGELOG.md lacks these lines under "### Breaking" of [0.2.0], or of [Unreleased]:\n' +
        '- `HealthResponse.x402Version` (response-property-optional) Responses may lack it now.',
    );
  });

  it('takes the lines that it asks for', () => {
    const asked = guard('0.1.0', '0.2.0', '')?.split('\n').slice(1) ?? [];
    expect(asked).toHaveLength(2);
    expect(guard('0.1.0', '0.2.0', changelog('[0.2.0]', asked))).toBeUndefined();
  });

  it.each([
    ['under another heading', changelog('[0.2.0]', lines, 'Changed')],
    ['in the section of another version', changelog('[0.2.0]', []) + changelog('[0.1.0]')],
  ])('does not count a line %s', (_where, log) => {
    expect(guard('0.1.0', '0.2.0', log)).toContain('CHANGELOG.md lacks these lines');
  });
});
