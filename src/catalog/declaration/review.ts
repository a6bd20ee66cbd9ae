import type { BazaarExtension, DiscoveryResource } from '../../contract/index.ts';
import { searchTextIn } from '../decide.ts';
import type { CatalogRefusal, Declaration } from '../listing.ts';
import { wordingOf, type SearchText } from '../search/wording.ts';
import { checkExtension, checkExtensionsSize } from './extension.ts';
import { readCall } from './invariants.ts';
import { isObject, type JsonObject } from './json.ts';
import { readDeclaration } from './read.ts';
import { readResourceUrl } from './resource.ts';
import { checkClientSchema } from './schema/check.ts';

/** A write rule, and how the declaration breaks it; undefined if it does not. */
export interface Ruled {
  /** What the rule is about: a place in the 402. */
  readonly place: string;
  readonly refusal: CatalogRefusal | undefined;
}

/** What the catalog would make of a declaration. */
export interface Review {
  /** The write rules that could be tried, in their order. */
  readonly rules: readonly Ruled[];
  /** Undefined if it breaks a rule. */
  readonly listing: ReviewedListing | undefined;
}

export interface ReviewedListing {
  readonly declaration: Declaration;
  /** Fields that were declared and are left out or shortened, as places in the 402. */
  readonly changed: readonly string[];
  readonly searchText: SearchText;
  /** The number of different words that searches find it by. */
  readonly words: number;
}

/**
 * Reviews the `extensions` and the `resource` of a 402 before anybody has paid for it. Tries each write rule, also after
 * one is broken, as far as it can be tried then.
 */
export function reviewDeclaration(
  extensions: JsonObject,
  resource: unknown,
  allowsPrivateAddresses: boolean,
): Review {
  const rules = [...declarationRules(extensions), urlRule(resource, allowsPrivateAddresses)];
  if (rules.some(({ refusal }) => refusal !== undefined)) return { rules, listing: undefined };
  const declaration = readDeclaration(extensions['bazaar'], resource, allowsPrivateAddresses);
  if ('code' in declaration) throw new Error('a declaration breaks a rule that was not reviewed');
  const searchText = searchTextIn(itemOf(declaration));
  const changed = changedFields(declaration, { bazaar: extensions['bazaar'], resource });
  return { rules, listing: { declaration, changed, searchText, words: wordingOf(searchText).words.size } };
}

/** Ends with a rule without which the others cannot be tried. */
function declarationRules(extensions: JsonObject): Ruled[] {
  const size = { place: 'extensions', refusal: checkExtensionsSize(JSON.stringify(extensions)) };
  if (size.refusal !== undefined) return [size];
  const { bazaar } = extensions;
  const shape = { place: 'extensions.bazaar', refusal: checkExtension(bazaar) };
  if (shape.refusal !== undefined) return [size, shape];
  const { info, schema } = bazaar as JsonObject;
  const call = readCall(info);
  const rules = [
    size,
    shape,
    { place: 'extensions.bazaar.info', refusal: 'code' in call ? call : undefined },
  ];
  if (!isObject(info)) return rules;
  return [...rules, { place: 'extensions.bazaar.schema', refusal: checkClientSchema(schema, info) }];
}

function urlRule(resource: unknown, allowsPrivateAddresses: boolean): Ruled {
  const url = readResourceUrl(resource, allowsPrivateAddresses);
  return { place: 'resource.url', refusal: 'code' in url ? url : undefined };
}

const METADATA = ['serviceName', 'description', 'tags', 'mimeType', 'iconUrl'] as const;

function changedFields(
  { metadata, bazaar }: Declaration,
  declared: { bazaar: unknown; resource: unknown },
): string[] {
  const resource = declared.resource as JsonObject;
  const extension = declared.bazaar as BazaarExtension;
  const hasTemplate = extension.routeTemplate !== undefined && bazaar.routeTemplate === undefined;
  return [
    ...METADATA.filter((name) => isGiven(resource[name]) && !isSame(resource[name], metadata[name])).map(
      (name) => `resource.${name}`,
    ),
    ...(hasTemplate ? ['extensions.bazaar.routeTemplate'] : []),
  ];
}

/** False for an empty value, which declares nothing. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function itemOf({ type, resource, bazaar, metadata }: Declaration): DiscoveryResource {
  return { type, resource, extensions: { bazaar }, ...metadata } as unknown as DiscoveryResource;
}
