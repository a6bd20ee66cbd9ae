import type { Catalog } from '../catalog/index.ts';
import type { Config } from '../config/config.ts';
import type { Handlers } from '../contract/index.ts';
import type { Journal } from '../journal/index.ts';
import type { Receipts } from '../receipts/index.ts';
import type { FeeBudget, Scheme } from '../scheme/index.ts';
import type { KnownAsset } from '../stellar/assets.ts';
import { createGetHealth } from './getHealth.ts';
import { createGetHome } from './getHome.ts';
import { createGetSettlementStatus } from './getSettlementStatus.ts';
import { createGetSupported } from './getSupported.ts';
import type { PendingListings } from './pendingListings.ts';
import { createListResources } from './listResources.ts';
import { createSearchResources } from './searchResources.ts';
import { createSellerHandlers } from './sellers/index.ts';
import { createSettlePayment } from './settlePayment.ts';
import { createVerifyPayment } from './verifyPayment.ts';

export interface HandlerDeps {
  scheme: Scheme;
  catalog: Catalog;
  journal: Pick<Journal, 'listed' | 'records' | 'answers'>;
  pendingListings: Pick<PendingListings, 'listLater'>;
  config: Config;
  /** The version of the service. */
  version: string;
  /** Returns the only assets that the operator serves; undefined if it serves all. */
  servedAssets: () => readonly string[] | undefined;
  boundPort: () => number;
  /** The assets that the page for people names. */
  assets: readonly KnownAsset[];
  budgetOf: (keyId: string | undefined) => FeeBudget;
  /** Undefined if there are none. */
  receipts?: Receipts | undefined;
}

/** Creates one handler per operation of the contract. */
export function createHandlers({
  scheme,
  catalog,
  journal,
  config,
  version,
  servedAssets,
  boundPort,
  assets,
  receipts,
  ...deps
}: HandlerDeps): Handlers {
  const requiresKey = config.callers.needKey;
  const { listingOperations: service, network } = config;
  return {
    verifyPayment: createVerifyPayment(scheme),
    settlePayment: createSettlePayment({ scheme, catalog, journal, receipts, ...deps }),
    getSettlementStatus: createGetSettlementStatus({ scheme, records: journal.records }),
    getHome: createGetHome(scheme, { requiresKey, assets, version }),
    getSupported: createGetSupported(scheme, {
      requiresKey,
      servedAssets,
      hasReceipts: receipts !== undefined,
    }),
    getHealth: createGetHealth({ scheme, config, version, boundPort }),
    listResources: createListResources(catalog),
    searchResources: createSearchResources(catalog),
    ...(receipts && { getReceiptKeys: () => ({ status: 200, body: receipts.keys }) }),
    ...(service !== undefined &&
      createSellerHandlers({ sellers: catalog.sellers, records: journal.records, service, network })),
  };
}
