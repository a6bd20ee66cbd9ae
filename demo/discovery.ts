/** How a buyer who has never heard of the seller finds the resource, and pays for it. */
import { decodePaymentResponseHeader } from '@x402/core/http';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { withBazaar, type DiscoveryResource } from '@x402/extensions/bazaar';
import { units } from '../src/stellar/units.ts';
import { claimBooks } from './books.ts';
import { balancesOf } from './cast.ts';
import { claim } from './claim.ts';
import { receiptOf } from './receipt.ts';
import type { Stage } from './stage.ts';
import { CITY, shortened } from './story.ts';
import { fact, good, line, step } from './terminal.ts';

/** Most of its words say nothing of the weather; they hardly count. */
export const QUESTION = 'Hi, could you please tell me what the weather will be like tomorrow?';

type Bazaar = ReturnType<typeof bazaarOf>;

/** Claims that the resource that was paid for is listed, is found, and can be paid for by what was found. */
export async function tellDiscovery(stage: Stage): Promise<void> {
  const bazaar = bazaarOf(stage);
  await tellListing(stage, bazaar);
  const hit = await search(bazaar);
  await payForHit(stage, hit);
}

function bazaarOf({ facilitator }: Stage) {
  return withBazaar(new HTTPFacilitatorClient({ url: facilitator.url })).extensions.bazaar;
}

async function tellListing({ seller, cast }: Stage, bazaar: Bazaar): Promise<void> {
  step(8, 'The catalog lists what was paid for, as its seller declared it');
  const { items, pagination } = await bazaar.listResources({ payTo: cast.seller.publicKey() });
  fact('request', `GET /discovery/resources?payTo=${shortened(cast.seller.publicKey())}`);
  const [listing] = items;
  claim(listing !== undefined && pagination.total === 1, 'GET /discovery/resources lists one resource');
  fact('listing', good(listing.resource));
  fact('service', `${listing.serviceName} [${listing.tags?.join(', ')}]`);
  fact('description', listing.description ?? 'none');
  fact('call', JSON.stringify(inputOf(listing)));
  claim(listing.resource === seller.url, 'it is listed at its address, without what the buyer asked for');
  claim(!JSON.stringify(listing).includes(CITY), "nothing of the buyer's own request is listed");
}

async function search(bazaar: Bazaar): Promise<DiscoveryResource> {
  step(9, 'A buyer who knows no seller asks the catalog in plain words');
  fact('request', 'GET /discovery/search?query=…');
  fact('query', QUESTION);
  const { resources, partialResults } = await bazaar.search({ query: QUESTION });
  const [hit] = resources;
  claim(hit !== undefined, 'GET /discovery/search finds a resource');
  fact('found', good(`${hit.serviceName}, ${hit.resource}`));
  const [terms] = hit.accepts;
  claim(terms !== undefined && partialResults === false, 'the hit names its terms, and is all there is');
  fact('price', `${units(BigInt(terms.amount))} USDC at the latest sale; the next 402 may ask another price`);
  const { resources: others } = await bazaar.search({ query: 'submarines' });
  claim(others.length === 0, 'a question about something else finds nothing');
  return hit;
}

async function payForHit({ buyer, network, cast }: Stage, hit: DiscoveryResource): Promise<void> {
  step(10, 'It calls the resource as the declared example shows, and pays');
  const url = addressOf(hit);
  fact(inputOf(hit).method, url);
  const before = balancesOf(network, cast);
  const response = await buyer.fetch(url);
  claim(response.status === 200, `the resource that was found is answered 200 (it is ${response.status})`);
  fact('200', await response.text());

  const { payer, transaction } = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '');
  claim(payer === cast.buyer.publicKey(), 'the second receipt names the buyer as payer');
  const { ledger, feeStroops } = receiptOf(network, transaction);
  fact('transaction', `${transaction}, ledger ${ledger}`);
  const after = balancesOf(network, cast);
  const price = before.buyer.usdc - after.buyer.usdc;
  claimBooks({ before, after, price: BigInt(hit.accepts[0]?.amount ?? 0), feeStroops });
  fact('buyer', `${units(before.buyer.usdc)} → ${units(after.buyer.usdc)} USDC (-${units(price)})`);
  fact('seller', `${units(before.seller.usdc)} → ${units(after.seller.usdc)} USDC`);
  line(good(`Checked: ${shortened(transaction)} is on the ledger, and moved only the price and its fee.`));
}

/** How an http listing is called. */
interface HttpInput {
  method: string;
  queryParams?: Record<string, unknown>;
}

function inputOf({ extensions }: DiscoveryResource): HttpInput {
  return (extensions as { bazaar: { info: { input: HttpInput } } }).bazaar.info.input;
}

/** The listing's address with the values of its example. */
function addressOf(listing: DiscoveryResource): string {
  const url = new URL(listing.resource);
  for (const [name, value] of Object.entries(inputOf(listing).queryParams ?? {}))
    url.searchParams.set(name, String(value));
  return url.href;
}
