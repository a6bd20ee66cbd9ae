/** What the contract says in words of the catalog: pages, filters, order, cursors. */
import fc from 'fast-check';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../../../src/contract/index.ts';
import type { Context } from '../context.ts';
import { getRequest } from '../exchange.ts';
import {
  createCatalogReader,
  FILTERS,
  isMatch,
  keysOf,
  MAX_LIMIT,
  named,
  number,
  pageSize,
  textsOf,
  type Filters,
  type Named,
} from '../catalogReader.ts';
import { differs } from '../differs.ts';
import { bodyOf } from '../judge.ts';
import { withAsset, type KnownValues } from '../queries.ts';
import { nearMisses, spellings, textOf, wordsOf } from '../words.ts';
import { rule, ruleForEach, type Rule } from '../rule.ts';
import { cursorRules } from './cursors.ts';

const MAX_WORDS = 64;
/** What does not fit into the integers of many a program. */
const HUGE = [2 ** 31, 2 ** 32, 2 ** 53 - 1];

export function discoveryRules(context: Context, known: KnownValues): Rule[] {
  const list = context.operation('listResources');
  const search = context.operation('searchResources');
  const { wholeList, walk } = createCatalogReader(context);
  const filters = fc
    .record<Record<string, string>>(
      {
        ...Object.fromEntries(
          FILTERS.map((name) => [name, fc.oneof(mostly(known[name]!), fc.constant('none such'))]),
        ),
        maxAmount: fc.constantFrom(...known['maxAmount']!, '0', '9'.repeat(39)),
        updatedSince: fc.constantFrom(
          ...known['updatedSince']!,
          '1970-01-01T00:00:00Z',
          '9999-12-31T23:59:59Z',
        ),
        verified: fc.constantFrom('true', 'false'),
      },
      { requiredKeys: [] },
    )
    .map(withAsset) as fc.Arbitrary<Filters>;
  const limit = fc.option(
    fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(0, 1, 20, 99, 100, 101, 5000, ...HUGE)),
    {
      nil: undefined,
    },
  );
  const offset = fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 80 }) }, fc.constantFrom(...HUGE));
  const word = fc.constantFrom(...known['query']!, 'a', 'for', 'nonesuch');
  const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((chosen) => chosen.join(' '));
  const exact = FILTERS.flatMap((name) => nearMisses(known[name]![0]!).map((value) => ({ [name]: value })));

  return [
    rule(
      'listResources: a page holds the listings of the whole list that match every filter, from offset on, in order',
      60,
      fc.record({ filters, limit, offset: fc.option(offset, { nil: undefined }) }),
      async ({ filters, limit, offset }) => {
        const matches = (await wholeList()).filter((listing) => isMatch(listing, filters));
        // The page that one gets without asking for another, then that one.
        for (const [size, start] of [[], [limit, offset]]) {
          const request = getRequest(list.path, [
            ...named(filters),
            ...number('limit', size),
            ...number('offset', start),
          ]);
          const answer = await context.send(list, request);
          const { items, pagination } = bodyOf(answer) as DiscoveryListResponse;
          const page = { limit: pageSize(size), offset: start ?? 0 };
          const complaints = [
            ...differs('pagination', pagination, { ...page, total: matches.length }),
            ...differs('items', items, matches.slice(page.offset, page.offset + page.limit)),
          ];
          context.complain(request, answer, complaints);
        }
      },
    ),
    rule(
      'listResources: facets count every match by its type and by whether it is verified',
      20,
      filters,
      async (filters) => {
        const matches = (await wholeList()).filter((listing) => isMatch(listing, filters));
        const request = getRequest(list.path, [...named(filters), ['facets', 'true']]);
        const answer = await context.send(list, request);
        const { facets } = bodyOf(answer) as DiscoveryListResponse;
        const complaints = (['type', 'verified'] as const).flatMap((name) =>
          differs(
            `the listings that facets.${name} counts`,
            facets?.[name].reduce((sum, { count }) => sum + count, 0),
            matches.length,
          ),
        );
        context.complain(request, answer, complaints);
      },
    ),
    ruleForEach(
      'discovery: a filter is the exact text, and one that is given empty matches nothing',
      exact,
      async (filters) => {
        const matches = (await wholeList()).filter((listing) => isMatch(listing, filters)).length;
        for (const operation of [list, search]) {
          const query = operation === search ? [['query', 'tool'] as Named] : [];
          const request = getRequest(operation.path, [...query, ...named(filters), ['limit', '100']]);
          const answer = await context.send(operation, request);
          const { items, resources } = bodyOf(answer) as { items?: object[]; resources?: object[] };
          const found = (items ?? resources)!.length;
          if (found > matches)
            context.complain(request, answer, [`${found} listings, and ${matches} that match`]);
        }
      },
    ),
    rule(
      'searchResources: a walk along the cursors visits each match once, and nothing else',
      40,
      fc.record({ query: words, filters, limit }),
      async ({ query, filters, limit }) => {
        await expectMatches([['query', query], ...named(filters)], limit, filters);
      },
    ),
    rule(
      'searchResources: a word matches only itself, in every spelling',
      60,
      word.chain(spellings),
      async (query) => {
        await expectMatches([['query', query]], MAX_LIMIT, {});
      },
    ),
    rule(
      'searchResources: pages of any sizes make the same ranking',
      15,
      fc.record({
        query: words,
        limits: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
      }),
      async ({ query, limits }) => {
        const asked = [['query', query]] as Named[];
        const whole = await walk(asked, [MAX_LIMIT]);
        const complaints = differs('the ranking', keysOf(await walk(asked, limits)), keysOf(whole));
        const request = getRequest(search.path, asked);
        if (complaints.length > 0) context.complain(request, await context.send(search, request), complaints);
      },
    ),
    rule(
      'searchResources: what matches more of the words comes first',
      15,
      fc.tuple(fc.constantFrom(...known['subjects']!), fc.constantFrom('tool', 'report', 'looks')),
      async ([subject, kind]) => {
        const request = getRequest(search.path, [['query', `${kind} ${subject}`]]);
        const answer = await context.send(search, request);
        const [first] = (bodyOf(answer) as DiscoverySearchResponse).resources;
        const all = [kind, ...subject.split(' ')];
        if (!first || !all.every((word) => textOf(first).includes(word)))
          context.complain(request, answer, [
            'the first result does not match all words, and there is one that does',
          ]);
      },
    ),
    rule(
      'searchResources: 64 different words are looked for, and whether there were more is told',
      12,
      fc.record({
        others: fc.constantFrom(0, 9, 31, 62, 63, 64, 65, 130),
        subject: fc.constantFrom(...known['subjects']!),
      }),
      async ({ others, subject }) => {
        const [last = ''] = wordsOf(subject);
        // Each twice: it is different words that count.
        const nowhere = Array.from({ length: others }, (_, nth) => `nowheretobefound${nth}`);
        const request = getRequest(search.path, [
          ['query', [...nowhere, ...nowhere, last].join(' ')],
          ['limit', String(MAX_LIMIT)],
        ]);
        const answer = await context.send(search, request);
        const { resources, partialResults } = bodyOf(answer) as DiscoverySearchResponse;
        const isHeard = others < MAX_WORDS;
        const complaints = [
          ...differs('partialResults', partialResults, !isHeard),
          ...differs('whether the last word is looked for', resources.length > 0, isHeard),
        ];
        context.complain(request, answer, complaints);
      },
    ),
    ...cursorRules(context, words, filters),
    rule(
      'discovery: what nobody documented changes nothing',
      15,
      fc.record({ query: words, filters, name: fc.constantFrom('page', 'q', 'order', 'Limit') }),
      async ({ query, filters, name }) => {
        for (const operation of [list, search]) {
          const asked = [...(operation === search ? [['query', query] as Named] : []), ...named(filters)];
          const plain = await context.send(operation, getRequest(operation.path, asked));
          const request = getRequest(operation.path, [[name, '1'], ...asked]);
          const answer = await context.send(operation, request);
          // A cursor may be another text for the same place.
          const [one, two] = [plain, answer].map((of) =>
            JSON.stringify({ ...bodyOf(of), pagination: undefined }),
          );
          if (one !== two)
            context.complain(request, answer, [`the answer differs from that without ${name}`]);
        }
      },
    ),
  ];

  async function expectMatches(
    asked: readonly Named[],
    limit: number | undefined,
    filters: Filters,
  ): Promise<void> {
    const words = wordsOf(asked[0]![1]);
    const expected = (await wholeList()).filter(
      (listing) => isMatch(listing, filters) && words.some((word) => textOf(listing).includes(word)),
    );
    const found = await walk(asked, [limit]);
    const complaints = differs('the listings found', textsOf(found), textsOf(expected));
    const request = getRequest(search.path, asked);
    if (complaints.length > 0) context.complain(request, await context.send(search, request), complaints);
  }
}

const mostly = (values: readonly string[]) => ({ weight: 8, arbitrary: fc.constantFrom(...values) });
