/** Reads which entries of `accepts` are payments on Stellar, and what they say without the ledger. */
import { isObject, valueAt, type JsonObject } from '../agent/json.ts';
import { isKnownNetwork, PASSPHRASES, type Network } from '../stellar/networks.ts';
import { ok, unpaid, type Finding } from './finding.ts';
import { quoted } from './quoted.ts';

/** An entry of `accepts` for an exact payment on Stellar. Nothing else in it has been checked yet. */
export interface Offer {
  /** `accepts[0]`. */
  readonly place: string;
  readonly network: Network;
  readonly entry: JsonObject;
}

const VERSION = 2;

/** Yields what is found, and returns the offers for Stellar, at most `maxOffers`. */
export function* readOffers(required: JsonObject, maxOffers: number): Generator<Finding, Offer[]> {
  const { x402Version, accepts } = required;
  yield x402Version === VERSION
    ? ok('x402Version', `is ${VERSION}`)
    : unpaid('x402Version', `is ${quoted(x402Version)}, not ${VERSION}`, `Send "x402Version": ${VERSION}.`);
  if (!Array.isArray(accepts)) {
    yield unpaid('accepts', 'is not an array', 'Offer at least one way to pay.');
    return [];
  }
  const offers: Offer[] = [];
  for (const [index, entry] of accepts.slice(0, maxOffers).entries()) {
    const place = `accepts[${index}]`;
    const read = readOffer(place, entry);
    yield read.finding;
    if ('offer' in read) offers.push(read.offer);
  }
  if (offers.length === 0)
    yield unpaid(
      'accepts',
      'offers no exact payment on Stellar',
      'Add an entry with "scheme": "exact" and "network": "stellar:testnet" or "stellar:pubnet".',
    );
  return offers;
}

function readOffer(place: string, entry: unknown): { finding: Finding; offer: Offer } | { finding: Finding } {
  if (!isObject(entry)) return { finding: unpaid(place, 'is not an object', 'Remove it.') };
  const { scheme, network } = entry;
  if (typeof network !== 'string' || !network.startsWith('stellar'))
    return { finding: ok(place, `is on ${quoted(network)}, and was not examined`) };
  if (!isKnownNetwork(network)) {
    const mend = `Name one of ${Object.keys(PASSPHRASES).join(', ')}.`;
    return { finding: unpaid(place, `is on ${quoted(network)}, which is no network of Stellar`, mend) };
  }
  if (scheme !== 'exact')
    return { finding: unpaid(place, `has the scheme ${quoted(scheme)}`, 'Name the scheme "exact".') };
  return { finding: ok(place, `is exact on ${network}`), offer: { place, network, entry } };
}

/** Checks the terms of the scheme. Stock buyers refuse to pay without them. */
export function checkExtra({ place, entry }: Offer): Finding {
  const check = `${place}.extra`;
  const mend = 'Copy extra from the facilitator\'s GET /supported: { "areFeesSponsored": true }.';
  const sponsored = valueAt(entry, 'extra', 'areFeesSponsored');
  if (sponsored !== true) return unpaid(check, `has areFeesSponsored ${quoted(sponsored)}, not true`, mend);
  const flow = valueAt(entry, 'extra', 'paymentFlow') ?? 'authorization';
  if (flow !== 'authorization')
    return unpaid(check, `has paymentFlow ${quoted(flow)}, which Stellar does not have`, mend);
  return ok(check, 'has areFeesSponsored');
}
