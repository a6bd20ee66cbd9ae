import {
  extractDiscoveryInfo,
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import { beforeEach, expect, test, vi } from 'vitest';
import { readDeclaration } from '../../../src/catalog/declaration/read.ts';
import { differences } from './differences.ts';
import { cases } from './oracleCases.ts';
import type { Echo } from './stockDeclarations.ts';

// The stock validator prints schemas that it does not know its way about.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));

/** What is listed, or the code of the refusal. */
type Verdict = object | string;

function stockVerdict({ bazaar, resource }: Echo): Verdict {
  if (!validateDiscoveryExtensionSpec(bazaar).valid) return 'bazaar_spec_validation_failed';
  if (!validateDiscoveryExtension(bazaar).valid) return 'bazaar_schema_validation_failed';
  try {
    const payload = { x402Version: 2, resource, extensions: { bazaar } };
    const found = extractDiscoveryInfo(payload as never, {} as never, false) as any;
    const { type, toolName = '' } = found.discoveryInfo.input;
    const { serviceName, tags, iconUrl } = sanitizeResourceServiceMetadata(resource);
    // A tool's template plays no part in its address (specification 4.6); the stock reader leaves that to its caller.
    return { resource: found.resourceUrl, type, toolName, serviceName, tags, iconUrl };
  } catch {
    return 'bazaar_resource_url_invalid';
  }
}

function ourVerdict({ bazaar, resource }: Echo): Verdict {
  const read = readDeclaration(bazaar, resource);
  if ('code' in read) return read.code;
  const { serviceName, tags, iconUrl } = read.metadata;
  return { resource: read.resource, type: read.type, toolName: read.toolName, serviceName, tags, iconUrl };
}

const reasonFor = (name: string) => differences.find((difference) => difference.cases.includes(name))?.reason;

test.each(cases)('$name: the stock validators and ours agree, or differ as listed', ({ name, echo }) => {
  const [stock, ours] = [stockVerdict(echo()), ourVerdict(echo())];
  if (reasonFor(name) === undefined) expect(ours).toEqual(stock);
  else expect(ours).not.toEqual(stock);
});

test('each listed difference is one of the cases, once', () => {
  const listed = differences.flatMap((difference) => difference.cases);
  expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining(listed));
  expect(new Set(listed).size).toBe(listed.length);
});
