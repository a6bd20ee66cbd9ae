/** All rules, tried one after the other against a service. */
import { SUBJECTS, type FilledService } from '../../support/filledService.ts';
import { createContext } from './context.ts';
import { readDocument } from './document.ts';
import type { Exchange } from './exchange.ts';
import type { KnownValues } from './queries.ts';
import type { Rule } from './rule.ts';
import { callerRules } from './rules/callers.ts';
import { discoveryRules } from './rules/discovery.ts';
import { listingRules } from './rules/listings.ts';
import { paymentRules } from './rules/payments.ts';
import { requestRules } from './rules/requests.ts';
import { serviceRules } from './rules/service.ts';
import { verdictRules } from './rules/verdicts.ts';
import { wordsOf } from './words.ts';

/** The rules of the contract, to be tried against `service` through `exchange`. */
export async function contractRules(service: FilledService, exchange: Exchange): Promise<Rule[]> {
  const context = createContext(readDocument(), service, exchange);
  const { kinds } = await context.read('getSupported');
  const { network: ownNetwork } = await context.read('getHealth');
  const known = await knownValues((query) => context.read('listResources', query));
  return [
    ...serviceRules(context),
    ...discoveryRules(context, known),
    ...requestRules(context, known, {
      kinds: kinds.map(({ scheme, network }: Record<string, string>) => `${scheme} ${network}`),
      ownNetwork,
    }),
    ...verdictRules(context),
    ...listingRules(context),
    ...paymentRules(context, SUBJECTS),
    ...callerRules(context),
  ];
}

/** What filters and queries can find: read from the catalog itself. */
async function knownValues(list: (query: [string, string][]) => Promise<any>): Promise<KnownValues> {
  const { items } = await list([['limit', '100']]);
  const distinct = (values: (item: any) => string[]): string[] => [...new Set<string>(items.flatMap(values))];
  return {
    type: distinct(({ type }) => [type]),
    payTo: distinct(({ accepts }) => accepts.map(({ payTo }: any) => payTo)),
    scheme: distinct(({ accepts }) => accepts.map(({ scheme }: any) => scheme)),
    network: distinct(({ accepts }) => accepts.map(({ network }: any) => network)),
    extensions: distinct(({ extensions }) => Object.keys(extensions)),
    resource: distinct(({ resource }) => [resource]),
    asset: distinct(({ accepts }) => accepts.map(({ asset }: any) => asset)),
    maxAmount: distinct(({ accepts }) => accepts.map(({ amount }: any) => amount)),
    updatedSince: distinct(({ lastUpdated }) => [lastUpdated]),
    // Those of examples too, by which nothing is found.
    query: distinct(({ description, tags, extensions }) =>
      wordsOf([description ?? '', ...(tags ?? []), JSON.stringify(extensions)].join(' ')),
    ),
    subjects: SUBJECTS,
  };
}
