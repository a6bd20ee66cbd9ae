/** What the contract says in words of listings: what a settled payment declares is found in the catalog at once. */
import fc from 'fast-check';
import type {
  DiscoveryListResponse,
  DiscoveryResource,
  DiscoverySearchResponse,
  FacilitatorRequest,
  PaymentRequirements,
} from '../../../../src/contract/index.ts';
import type { Context } from '../context.ts';
import { canonical, differs } from '../differs.ts';
import { canonicalUrl, DECLARATIONS, LISTED, offerOf, type Declaration } from '../declarations.ts';
import { getRequest, jsonRequest } from '../exchange.ts';
import { bodyOf } from '../judge.ts';
import { rule, ruleForEach, type Rule } from '../rule.ts';
import { textOf, wordsOf } from '../words.ts';

/** The fields that are searched, in the order of their weight. */
const FIELDS = ['name', 'tag', 'description', 'parameter'] as const;

export function listingRules(context: Context): Rule[] {
  const { service } = context;
  const settle = context.operation('settlePayment');
  const search = context.operation('searchResources');

  return [
    ruleForEach(
      'settlePayment: a listing says what was declared, and under which terms was paid; a further payment refreshes it',
      DECLARATIONS.map((_, nth) => nth),
      async (nth) => {
        const [first, second] = [DECLARATIONS[nth]!, DECLARATIONS[(nth + 1) % DECLARATIONS.length]!];
        const payTo = service.sandbox.account(0n).publicKey();
        const settled = await pay(first, { amount: '1', payTo });
        await expectListing(settled, first, [settled]);
        await expectFound(settled, [first]);
        // Of the same kind and at the same place, or it is another listing.
        const again = { ...second, type: first.type, hasTemplate: first.hasTemplate };
        const refreshed = await pay(again, { amount: nth % 3 === 0 ? '1' : '2', payTo });
        await expectListing(refreshed, again, [settled, refreshed]);
        await expectFound(refreshed, [first, again]);
      },
    ),
    rule(
      'searchResources: a word counts most in the name, then in a tag, in the description, in a parameter',
      2,
      fc.shuffledSubarray([...FIELDS], { minLength: FIELDS.length }),
      async (fields) => {
        const word = service.sandbox.account(0n).publicKey().slice(-20);
        const owners = new Map<string, string>();
        for (const field of fields) {
          const { payment } = await pay(wordIn(field, word));
          owners.set(payment.paymentRequirements.payTo, field);
        }
        const request = getRequest(search.path, [['query', word]]);
        const answer = await context.send(search, request);
        const { resources } = bodyOf(answer) as DiscoverySearchResponse;
        const order = resources.map(({ accepts }) => owners.get(accepts[0]!.payTo));
        if (order.join() !== FIELDS.join())
          context.complain(request, answer, [`found by a word in: ${order.join()}, not ${FIELDS.join()}`]);
      },
    ),
  ];

  interface Settled {
    readonly payment: FacilitatorRequest;
    readonly sinceMs: number;
    complain(complaints: readonly string[]): void;
  }

  async function pay(declared: Declaration, terms?: Partial<PaymentRequirements>): Promise<Settled> {
    const payment = await service.payment(undefined, terms);
    const offer = offerOf(payment.paymentRequirements.payTo, declared);
    const request = jsonRequest(settle.path, {
      ...payment,
      paymentPayload: { ...payment.paymentPayload, ...offer },
    });
    const sinceMs = Date.now();
    const answer = await context.send(settle, request);
    const complain = (complaints: readonly string[]): void => context.complain(request, answer, complaints);
    complain(differs('the outcome of the listing', answer.headers['extension-responses'], LISTED));
    return { payment, sinceMs, complain };
  }

  /** Everything that the contract says of the listing after the payments `paid`. */
  async function expectListing(
    { payment, sinceMs, complain }: Settled,
    declared: Declaration,
    paid: readonly Settled[],
  ): Promise<void> {
    const { payTo } = payment.paymentRequirements;
    const { items } = (await context.read('listResources', [['payTo', payTo]])) as DiscoveryListResponse;
    if (items.length !== 1) return complain([`${items.length} listings of ${payTo}, not 1`]);
    const { accepts, lastUpdated, extensions, ...listing } = items[0]!;
    const terms = new Set(paid.map(({ payment }) => canonical(payment.paymentRequirements)));
    complain([
      ...differs('accepts', accepts.map(canonical).sort(), [...terms].sort()),
      ...differs(
        'bazaar',
        (extensions as any)?.bazaar?.info,
        offerOf(payTo, declared).extensions.bazaar.info,
      ),
      ...(isBetween(lastUpdated, sinceMs) ? [] : [`lastUpdated is ${lastUpdated}`]),
      ...metadataComplaints(payTo, declared, listing),
    ]);
  }

  /** By the words that the listing has now, and no others. */
  async function expectFound(
    { payment, complain }: Settled,
    declared: readonly Declaration[],
  ): Promise<void> {
    const { payTo } = payment.paymentRequirements;
    const [listing] = ((await context.read('listResources', [['payTo', payTo]])) as DiscoveryListResponse)
      .items;
    for (const { good } of declared) {
      const words = wordsOf([good.serviceName, good.description].join(' '));
      if (words.length === 0) continue;
      const { resources } = (await context.read('searchResources', [
        ['query', words.join(' ')],
        ['payTo', payTo],
      ])) as DiscoverySearchResponse;
      const isFound = words.some((word) => textOf(listing!).includes(word));
      complain(differs(`whether ${words.join(' ')} finds it`, resources.length > 0, isFound));
    }
  }
}

/** Every field holds one word, and one of them this one. */
function wordIn(field: string, word: string): Declaration {
  const textOf = (name: string): string => (name === field ? word : `another${name.length}`);
  const good = {
    serviceName: textOf('name'),
    tags: [textOf('tag')],
    description: textOf('description'),
  };
  return { type: 'http', hasTemplate: false, suffix: '', good, bad: {}, parameter: textOf('parameter') };
}

function metadataComplaints(
  payTo: string,
  declared: Declaration,
  listing: Omit<DiscoveryResource, 'accepts' | 'lastUpdated' | 'extensions'>,
): string[] {
  const { type, good, bad } = declared;
  const isListed = ([name, value]: [string, unknown]): boolean =>
    canonical(listing[name]) === canonical(value);
  return [
    ...differs('resource', listing.resource, canonicalUrl(payTo, declared)),
    ...differs('type', listing.type, type),
    ...Object.entries(good).flatMap(([name, value]) => differs(name, listing[name], value)),
    ...Object.entries(bad)
      .filter(isListed)
      .map(([name, value]) => `${name}: ${canonical(value)} is listed`),
    ...Object.entries(listing).flatMap(([name, value]) => (value === null ? [`${name} is null`] : [])),
  ];
}

const isBetween = (time: string, sinceMs: number): boolean =>
  Date.parse(time) >= sinceMs && Date.parse(time) <= Date.now();
