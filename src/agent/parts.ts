import { PASSPHRASES } from '../stellar/networks.ts';
import type { Caller } from './caller.ts';
import type { CallResult } from './callResult.ts';
import { createFacilitator } from './catalog/facilitator.ts';
import { createLookup } from './catalog/lookup.ts';
import { searchResources, type SearchArguments } from './catalog/searchResources.ts';
import { Failure } from './codes.ts';
import { reachOfListings } from '../net/reach.ts';
import { createTargetHttp } from './http/fetch.ts';
import type { AgentLimits } from './limits.ts';
import { paidCall, type PaidCallDeps } from './paidCall.ts';
import { createOpenPurchases } from './payment/openPurchases.ts';
import type { ToolServerOptions } from './server.ts';
import type { CallArguments } from './target/resolve.ts';
import {
  createPace,
  createRpc,
  createSpendPolicy,
  createWallet,
  follow,
  openDailyBudgets,
  type Followed,
  type SignedPayment,
} from './wallet/index.ts';

/** Does the work of the tools: with one wallet, for any number of sessions. */
export interface Parts {
  /** Begins a session: with a budget, known listings (as many as `known` says) and open payments of its own. */
  openSession(known?: Pick<AgentLimits, 'maxKnownListings'>): PartsOfSession;
  /** Makes sure that nothing is signed from here on. */
  stopPaying(): void;
  /** Waits until no payment is under way. */
  idle(): Promise<void>;
  /** Ends every wait. Payments that are still under way are left with an unknown outcome. */
  close(): Promise<void>;
}

export interface PartsOfSession {
  /** Runs a tool with arguments that fit its schema. */
  run(tool: string, given: unknown, caller: Caller): Promise<CallResult | Failure>;
  /** Leaves the payments that are open to whoever makes the same calls again. */
  end(): void;
}

/** Throws UnusableFile. */
export function createParts({
  config,
  signer,
  facilitatorKey,
  log,
  limits,
}: Required<Omit<ToolServerOptions, 'offersCalls'>>): Parts {
  const { network, facilitatorUrl, allowedHosts, spend, approveAbove } = config;
  const paidIn = { network, allowedAssets: spend.allowedAssets };
  // Whole milliseconds that never decrease: no wait may depend on how a clock is set.
  const now = (): number => Math.floor(performance.now());
  const stopping = new AbortController();
  const closing = new AbortController();
  const underWay = new Set<Followed>();
  const facilitator = createFacilitator({ baseUrl: facilitatorUrl, key: facilitatorKey, limits });
  const http = createTargetHttp(limits);
  const rpc = createRpc(config.rpcUrls, PASSPHRASES[network], limits.wallet.rpc);
  const pace = createPace({ rpc, now, limits: limits.wallet });
  const ledger = { rpc, pace, now, limits: limits.wallet };
  const budgets = spend.daily && openDailyBudgets(spend.daily);
  const openPurchases = createOpenPurchases({ now, limits });

  const shared = {
    ...{ network, paidIn, allowedHosts, approveAbove, log, limits },
    // Resolved once: a name that changes its address later cannot open a private network.
    listingReach: reachOfListings(facilitatorUrl, limits),
    closing: stopping.signal,
    fetch: http.fetch,
    follow(payment: SignedPayment) {
      const followed = follow({ ...ledger, closing: closing.signal }, payment);
      underWay.add(followed);
      void followed.ended.then(() => underWay.delete(followed));
      return followed;
    },
  };

  return {
    openSession({ maxKnownListings } = limits) {
      const lookup = createLookup({ facilitator, paidIn, limits: { ...limits, maxKnownListings } });
      const policy = createSpendPolicy(spend, budgets);
      const wallet = signer && createWallet({ ...ledger, network, signer, policy });
      const deps: PaidCallDeps = { ...shared, lookup, policy, wallet, openPurchases: openPurchases() };
      return {
        async run(tool, given, caller) {
          if (tool === 'paid_call') return paidCall(deps, given as CallArguments, caller);
          const found = await searchResources({ facilitator, lookup, paidIn }, given as SearchArguments);
          return found instanceof Failure ? found : { structured: found, blocks: [], isError: false };
        },
        end: () => deps.openPurchases.end(),
      };
    },
    stopPaying: () => stopping.abort(),
    async idle() {
      await Promise.all([...underWay].map(({ ended }) => ended));
    },
    async close() {
      closing.abort();
      // Requests that hang at the RPC end with its connections.
      await Promise.all([rpc.close(), this.idle()]);
      await Promise.all([facilitator.close(), http.close()]);
      budgets?.close();
    },
  };
}
