import { SILENT_LOG } from '../log/log.ts';
import { PASSPHRASES, type Network } from '../stellar/networks.ts';
import { RpcFault } from '../stellar/rpc/fault.ts';
import { createRpc } from '../stellar/rpc/pool.ts';
import { checkAsset } from './asset.ts';
import { fetchDemand, type Asked, type DemandDeps } from './demand.ts';
import { unchecked, type Finding } from './finding.ts';
import { checkListing } from './listing.ts';
import { checkExtra, readOffers, type Offer } from './offers.ts';
import { checkRecipient } from './recipient.ts';
import { checkAmount, checkTimeout } from './terms.ts';

export interface ExamineDeps extends DemandDeps {
  /** Returns the URLs of a network's RPC, at least one. */
  readonly rpcUrls: (network: Network) => readonly string[];
}

/**
 * Fetches a seller's 402, and yields what would keep it from being paid or listed, in the order in which to mend it.
 * Returns the first offer. Signs and pays nothing.
 */
export async function* examineSeller(
  deps: ExamineDeps,
  asked: Asked,
): AsyncGenerator<Finding, Offer | undefined> {
  const required = yield* fetchDemand(deps, asked);
  if (required === undefined) return undefined;
  const offers = yield* readOffers(required, deps.limits.maxOffers);
  for (const offer of offers) yield* checkOffer(deps, offer);
  const allowsPrivateAddresses = !offers.some(({ network }) => network === 'stellar:pubnet');
  yield* checkListing({ required, url: asked.url, allowsPrivateAddresses });
  return offers[0];
}

async function* checkOffer({ rpcUrls }: ExamineDeps, offer: Offer): AsyncGenerator<Finding> {
  const rpc = createRpc(rpcUrls(offer.network), {
    log: SILENT_LOG,
    now: () => performance.now(),
    passphrase: PASSPHRASES[offer.network],
  });
  try {
    const token = yield* checkAsset(rpc, offer);
    yield await checkRecipient(rpc, offer, token);
    yield checkAmount(offer, token);
    yield await checkTimeout(rpc, offer);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    yield unchecked(
      offer.place,
      `the RPC gave no usable answer: ${fault.message}`,
      `Name a node of ${offer.network} in RPC_URL.`,
    );
  } finally {
    await rpc.close();
  }
  yield checkExtra(offer);
}
