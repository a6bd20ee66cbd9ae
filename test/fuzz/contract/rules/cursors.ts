/** Which cursors are accepted. */
import fc from 'fast-check';
import type { DiscoverySearchResponse } from '../../../../src/contract/index.ts';
import type { Filters } from '../catalogReader.ts';
import type { Context } from '../context.ts';
import { getRequest } from '../exchange.ts';
import { rule, type Rule } from '../rule.ts';

export function cursorRules(
  context: Context,
  words: fc.Arbitrary<string>,
  filters: fc.Arbitrary<Filters>,
): Rule[] {
  const search = context.operation('searchResources');
  return [
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
        const good = { query, cursor };
        const spoiled = spoil.change(good, other);
        const refused = { statuses: [400], codes: ['svc_invalid_search_cursor'] };
        await context.send(search, getRequest(search.path, Object.entries(spoiled)), refused, spoil.rule);
        // As often as one likes, but not with filters that it was not issued for.
        for (const further of [{}, {}, filters]) {
          const expected = Object.keys(further).length > 0 ? refused : undefined;
          const request = getRequest(search.path, Object.entries({ ...good, ...further }));
          await context.send(search, request, expected);
        }
      },
    ),
  ];
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
  ...['=', '!', ' ', '\n'].map((end) => ({
    rule: `a cursor with ${JSON.stringify(end)} at its end`,
    change: ({ query, cursor }: { query: string; cursor: string }) => ({ query, cursor: `${cursor}${end}` }),
  })),
  {
    rule: 'a cursor of another filter',
    change: ({ query, cursor }) => ({ query, cursor, type: 'none such' }),
  },
];

const flipped = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
