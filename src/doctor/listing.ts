/** Checks what the catalog would make of a 402 once it is paid. */
import { isObject, type JsonObject } from '../agent/json.ts';
import { canonicalUrl, reviewDeclaration, type ReviewedListing } from '../catalog/index.ts';
import { ok, unlisted, warn, type Finding } from './finding.ts';
import { quoted } from './quoted.ts';

export interface ListingOrder {
  /** The content of the 402. */
  readonly required: JsonObject;
  /** The URL that it came from. */
  readonly url: URL;
  /** True on testnet, where sellers may run locally. */
  readonly allowsPrivateAddresses: boolean;
}

export function* checkListing({ required, url, allowsPrivateAddresses }: ListingOrder): Generator<Finding> {
  const { resource, extensions } = required;
  yield* checkUrl(isObject(resource) ? resource['url'] : undefined, url);
  if (!isObject(extensions) || !Object.hasOwn(extensions, 'bazaar')) {
    yield unlisted(
      'extensions.bazaar',
      'is missing: the catalog lists only what declares itself',
      'Declare the route: see “Be listed” in docs/seller.md.',
    );
    return;
  }
  const { rules, listing } = reviewDeclaration(extensions, resource, allowsPrivateAddresses);
  for (const { place, refusal } of rules)
    yield refusal === undefined
      ? ok(place, 'keeps the rules of the catalog')
      : unlisted(place, refusal.message, mendOf(refusal.code), refusal.code);
  if (listing !== undefined) yield* checkSearch(listing);
}

/** Compares addresses as the catalog does, without query. An address that cannot be read breaks a rule, later. */
function* checkUrl(declared: unknown, asked: URL): Generator<Finding> {
  const url = typeof declared === 'string' && /^https?:/i.test(declared) ? URL.parse(declared) : null;
  if (url === null || canonicalUrl(url) === canonicalUrl(asked)) return;
  yield warn(
    'resource.url',
    `is ${quoted(url.href)}, and not the address that was asked: buyers would be sent there`,
    'Set resource to your public address. If you asked another address on purpose, all is well.',
  );
}

function mendOf(code: string): string {
  switch (code) {
    case 'bazaar_extensions_too_large':
    case 'bazaar_schema_too_complex':
      return 'Shorten examples and schemas.';
    case 'bazaar_extension_not_object':
      return 'Send extensions.bazaar as an object with info and schema.';
    case 'bazaar_spec_validation_failed':
      return 'Correct info: methods are in capitals, and a bodyType needs POST, PUT or PATCH.';
    case 'bazaar_schema_validation_failed':
      return 'Make info satisfy schema. A $ref must start with #.';
    default:
      return 'Set resource.url to the absolute, public http or https address of the route.';
  }
}

function* checkSearch({ declaration, changed, searchText, words }: ReviewedListing): Generator<Finding> {
  yield ok(
    'listing',
    `would be ${declaration.type} ${declaration.resource} ${declaration.toolName}`.trimEnd(),
  );
  for (const place of changed)
    yield warn(
      place,
      'has a defect, for which it would be left out or cut, and nobody is told',
      'Keep to the limits in docs/seller.md, “See the outcome”.',
    );
  const { serviceName, tags, description } = searchText;
  const shown = [
    ['resource.serviceName', serviceName],
    ['resource.tags', tags.join(', ')],
    ['resource.description', description],
  ] as const;
  for (const [place, text] of shown)
    yield text === ''
      ? warn(place, 'says nothing, so searches see nothing of it', 'Use the words that people ask with.')
      : ok(place, `searches see ${quoted(text)}`);
  yield words === 0
    ? warn('search', 'finds it by no word at all', 'Give it a name, tags and a description.')
    : ok('search', `finds it by ${words} different words, those of its parameters included`);
}
