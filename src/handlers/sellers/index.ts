import type { Catalog } from '../../catalog/index.ts';
import type { Handlers, SellerOperation } from '../../contract/index.ts';
import type { Journal } from '../../journal/index.ts';
import { createActs } from './acts.ts';
import { SELLER_LIMITS } from './limits.ts';
import { createListingHandlers } from './listings.ts';
import { createReads } from './reads.ts';
import { createListSettlements } from './settlements.ts';
import { createCheckSigned } from './signed.ts';

export interface SellerDeps {
  sellers: Catalog['sellers'];
  records: Journal['records'];
  /** The public URL of the service, which recipients sign. */
  service: string;
  network: string;
}

/** Creates the operations of recipients, which prove themselves by signatures. */
export function createSellerHandlers(deps: SellerDeps): Required<Pick<Handlers, SellerOperation>> {
  const { sellers, records, service, network } = deps;
  const limits = SELLER_LIMITS;
  const now = (): number => Date.now();
  const checkSigned = createCheckSigned({ service, network, limits, now });
  return {
    // A clock that is set back must not make anybody wait for longer.
    ...createListingHandlers(
      sellers,
      checkSigned,
      createActs(limits, () => performance.now()),
    ),
    listSettlements: createListSettlements({ records, checkSigned, reads: createReads(limits, now), limits }),
  };
}
