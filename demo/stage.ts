/** Everything the story needs, in this one process: local network, facilitator, seller, buyer. */
import { aliasStellarHosts } from '../sandbox/aliases.ts';
import type { Network } from '../sandbox/network.ts';
import { startSandbox, type Sandbox } from '../sandbox/server.ts';
import { trustCertificate } from '../sandbox/tls.ts';
import { createBuyer, type Buyer } from './buyer.ts';
import { createCast, type Cast } from './cast.ts';
import { openFacilitator, type Facilitator } from './facilitator.ts';
import { openSeller, type Seller } from './seller.ts';

/** The public network takes about 5 s; the story need not. */
const LEDGER_MS = 1_000;

export interface Stage extends AsyncDisposable {
  sandbox: Sandbox;
  /** The same as `sandbox.network`. */
  network: Network;
  facilitator: Facilitator;
  seller: Seller;
  buyer: Buyer;
  cast: Cast;
}

/** Starts everything. If one part fails to start, it stops the others again. */
export async function openStage(): Promise<Stage> {
  await using open = new AsyncDisposableStack();

  const sandbox = await startSandbox({ ledgerMs: LEDGER_MS });
  open.defer(() => sandbox.close());
  // The buyer's client insists on https, and asks a fixed Horizon host for ledger times.
  trustCertificate(sandbox.caCertificate);
  open.defer(aliasStellarHosts(sandbox.httpsUrl));
  const cast = createCast(sandbox.network);

  const facilitator = await openFacilitator({
    RPC_URL: sandbox.url,
    SUBMITTER_SECRET: cast.submitter.secret(),
    FEE_BUMP_SECRET: cast['fee account'].secret(),
  });
  open.defer(() => facilitator.close());
  const seller = await openSeller(facilitator.url, cast.seller.publicKey());
  open.defer(() => seller.close());
  const buyer = createBuyer(cast.buyer.secret(), sandbox.httpsUrl);

  const all = open.move();
  return {
    sandbox,
    network: sandbox.network,
    facilitator,
    seller,
    buyer,
    cast,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
