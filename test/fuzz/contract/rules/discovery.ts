/** What the contract says in words of the catalog: pages, filters, order, cursors. */
import fc from 'fast-check';
import type {
  DiscoveryListResponse,
  DiscoveryResource,
  DiscoverySearchResponse,
} from '../../../../src/contract/index.ts';
import type { Context } from '../context.ts';
import { getRequest } from '../exchange.ts';
import { bodyOf } from '../judge.ts';
import type { KnownValues } from '../queries.ts';
import { rule } from '../rule.ts';
import type { Rule } from '../rule.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** More pages than any walk here has. */
const PAGES_LIMIT = 500;
const FILTERS = ['type', 'payTo', 'scheme', 'network', 'extensions'] as const;

type Filters = Partial<Record<(typeof FILTERS)[number], string>>;
type Named = readonly [string, string];

export function discoveryRules(context: Context, known: KnownValues): Rule[] {
  const list = context.operation('listResources');
  const search = context.operation('searchResources');
  const filters = fc.record(
    Object.fromEntries(FILTERS.map((name) => [name, fc.constantFrom(...known[name]!, 'none such')])),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Filters>;
  const limit = fc.option(fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(0, 1, 20, 99, 100, 101, 5000)), {
    nil: undefined,
  });
  const words = fc
    .array(fc.constantFrom(...known['query']!, 'a', 'for', 'nonesuch'), { minLength: 1, maxLength: 4 })
    .map((chosen) => chosen.join(' '));

  return [
    rule(
      'listResources: a page holds the listings of the whole list that match every filter, from offset on, in order',
      60,
      fc.record({ filters, limit, offset: fc.option(fc.nat({ max: 80 }), { nil: undefined }) }),
      async ({ filters, limit, offset }) => {
        const matches = (await wholeList()).filter((listing) => isMatch(listing, filters));
        const request = getRequest(list.path, [
          ...named(filters),
          ...number('limit', limit),
          ...number('offset', offset),
        ]);
        const answer = await context.send(list, request);
        const { items, pagination } = bodyOf(answer) as DiscoveryListResponse;
        const size = pageSize(limit);
        const start = offset ?? 0;
        const complaints = [
          ...differs('pagination', pagination, { limit: size, offset: start, total: matches.length }),
          ...differs('items', items, matches.slice(start, start + size)),
        ];
        if (complaints.length > 0) context.complain(request, answer, complaints);
      },
    ),
    rule(
      'searchResources: a walk along the cursors visits each match once, and nothing else',
      40,
      fc.record({ query: words, filters, limit }),
      async ({ query, filters, limit }) => {
        const asked = [['query', query], ...named(filters), ...number('limit', limit)] as Named[];
        const expected = (await wholeList()).filter(
          (listing) =>
            isMatch(listing, filters) && wordsOf(query).some((word) => textOf(listing).includes(word)),
        );
        const found = await walk(asked, pageSize(limit));
        const complaints = differs('the listings found', keysOf(found).sort(), keysOf(expected).sort());
        const request = getRequest(search.path, asked);
        if (complaints.length > 0) context.complain(request, await context.send(search, request), complaints);
      },
    ),
    rule(
      'searchResources: pages of any size make the same ranking',
      15,
      fc.record({ query: words, limit: fc.integer({ min: 1, max: 12 }) }),
      async ({ query, limit }) => {
        const whole = await walk(
          [
            ['query', query],
            ['limit', String(MAX_LIMIT)],
          ],
          MAX_LIMIT,
        );
        const asked = [
          ['query', query],
          ['limit', String(limit)],
        ] as Named[];
        const complaints = differs('the ranking', keysOf(await walk(asked, limit)), keysOf(whole));
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
      'searchResources: a cursor is refused unless it was issued for this query and these filters',
      60,
      fc.record({ query: words, other: words, spoil: fc.constantFrom(...SPOILERS), filters }),
      async ({ query, other, spoil, filters }) => {
        const page = (await context.read('searchResources', [
          ['query', query],
          ['limit', '1'],
        ])) as DiscoverySearchResponse;
        const { cursor } = page.pagination;
        if (cursor === null) return;
        const good = { query, cursor, ...filters };
        const spoiled = Object.entries(spoil.change({ query, cursor }, other)) as Named[];
        const refused = { statuses: [400], codes: ['svc_invalid_search_cursor'] };
        await context.send(search, getRequest(search.path, spoiled), refused, spoil.rule);
        // The same cursor with filters that it was not issued for.
        const isForeign = Object.keys(filters).length > 0;
        await context.send(
          search,
          getRequest(search.path, Object.entries(good)),
          isForeign ? refused : undefined,
        );
      },
    ),
    rule(
      'discovery: what nobody documented changes nothing',
      15,
      fc.record({ query: words, filters, name: fc.constantFrom('page', 'q', 'sort', 'Limit') }),
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

  /** As the service lists it now: payments of other rules add to it. */
  async function wholeList(): Promise<DiscoveryResource[]> {
    const all: DiscoveryResource[] = [];
    for (let total = 1; all.length < total;) {
      const asked = [
        ['limit', String(MAX_LIMIT)],
        ['offset', String(all.length)],
      ] as Named[];
      const page = (await context.read('listResources', asked)) as DiscoveryListResponse;
      if (page.items.length === 0) break;
      total = page.pagination.total;
      all.push(...page.items);
    }
    return all;
  }

  /** All results, with every page held to what the contract says of it. */
  async function walk(asked: readonly Named[], size: number): Promise<DiscoveryResource[]> {
    const found: DiscoveryResource[] = [];
    let cursor: string | null = null;
    for (let page = 1; page <= PAGES_LIMIT; page += 1) {
      const request = getRequest(search.path, cursor === null ? asked : [...asked, ['cursor', cursor]]);
      const answer = await context.send(search, request);
      const { resources, partialResults, pagination } = bodyOf(answer) as DiscoverySearchResponse;
      const isLast = pagination.cursor === null;
      const complaints = [
        ...differs('pagination.limit', pagination.limit, resources.length),
        ...differs('partialResults', partialResults, !isLast),
        ...(resources.length > size ? [`${resources.length} results on a page of ${size}`] : []),
        ...(!isLast && resources.length < size ? ['a page that is not the last is not full'] : []),
      ];
      if (complaints.length > 0) context.complain(request, answer, complaints);
      found.push(...resources);
      if (isLast) return found;
      cursor = pagination.cursor;
    }
    const request = getRequest(search.path, asked);
    return context.complain(request, await context.send(search, request), ['the cursors do not end']);
  }
}

interface Spoiler {
  readonly rule: string;
  change(good: { query: string; cursor: string }, otherQuery: string): Record<string, string>;
}

const SPOILERS: Spoiler[] = [
  {
    rule: 'the cursor of another query',
    change: ({ cursor }, other) => ({ query: `${other} otherwise`, cursor }),
  },
  { rule: 'a cursor cut short', change: ({ query, cursor }) => ({ query, cursor: cursor.slice(0, -4) }) },
  {
    rule: 'a cursor with something added',
    change: ({ query, cursor }) => ({ query, cursor: `${cursor}AAAA` }),
  },
  {
    rule: 'a cursor changed at its start',
    change: ({ query, cursor }) => ({ query, cursor: flipped(cursor, 0) }),
  },
  {
    rule: 'a cursor changed in its middle',
    change: ({ query, cursor }) => ({ query, cursor: flipped(cursor, Math.floor(cursor.length / 2)) }),
  },
  {
    rule: 'a cursor of another filter',
    change: ({ query, cursor }) => ({ query, cursor, type: 'none such' }),
  },
];

const flipped = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

const pageSize = (limit: number | undefined): number =>
  Math.min(Math.max(limit ?? DEFAULT_LIMIT, 1), MAX_LIMIT);

const named = (filters: Filters): Named[] => Object.entries(filters);

const number = (name: string, value: number | undefined): Named[] =>
  value === undefined ? [] : [[name, String(value)]];

/** All filters, and those about terms within one entry of `accepts`. */
function isMatch({ type, accepts, extensions }: DiscoveryResource, filters: Filters): boolean {
  return (
    (filters.type === undefined || filters.type === type) &&
    (filters.extensions === undefined || Object.hasOwn(extensions ?? {}, filters.extensions)) &&
    accepts.some((terms) =>
      (['payTo', 'scheme', 'network'] as const).every(
        (name) => filters[name] === undefined || filters[name] === terms[name],
      ),
    )
  );
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** The words by which a listing is found, parameters included. */
function textOf({ serviceName = '', tags = [], description = '', extensions }: DiscoveryResource): string[] {
  const { info } = (extensions?.['bazaar'] ?? {}) as any;
  const parameters = Object.keys(info?.input?.inputSchema?.properties ?? {});
  return wordsOf([serviceName, ...tags, description, ...parameters].join(' '));
}

/** What makes a listing the one that it is. */
const keysOf = (listings: readonly DiscoveryResource[]): string[] =>
  listings.map(({ resource, type, extensions }) => {
    const { info } = (extensions?.['bazaar'] ?? {}) as any;
    return `${resource} ${type} ${info?.input?.toolName ?? ''}`;
  });

function differs(what: string, found: unknown, expected: unknown): string[] {
  const [one, two] = [JSON.stringify(found), JSON.stringify(expected)];
  return one === two ? [] : [`${what}: ${one.slice(0, 300)} instead of ${two.slice(0, 300)}`];
}
