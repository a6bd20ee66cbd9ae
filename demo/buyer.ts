/** A buyer: `fetch` that pays, on the stock x402 packages. */
import { wrapFetchWithPayment, x402Client, type PaymentPayload, type PaymentRequirements } from '@x402/fetch';
import type { SpendControls } from '@x402/core/client';
import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme } from '@x402/stellar/exact/client';

/** The network that it buys on. */
export interface Market {
  network: 'stellar:testnet' | 'stellar:pubnet';
  /** Its USDC contract. */
  usdc: string;
}

export const TESTNET: Market = {
  network: 'stellar:testnet',
  usdc: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
};

/** The most that this buyer pays at once: 0.1 USDC. */
const MAX_AMOUNT_PER_PAYMENT = '1000000';

/** The stock client's spending limits. */
export const spendControls = ({ network, usdc }: Market): SpendControls => ({
  allowedAssets: [{ network, asset: usdc, maxAmountPerPayment: MAX_AMOUNT_PER_PAYMENT }],
});

export interface Buyer {
  /** Pays where the answer is 402. */
  fetch: typeof fetch;
  /** The stock client; its hooks let the story look on. */
  client: x402Client;
  /** Signs a payment for these terms without sending it anywhere. */
  sign(terms: PaymentRequirements): Promise<PaymentPayload>;
}

/** `rpcUrl` must be https: the stock client refuses http. */
export function createBuyer(secret: string, rpcUrl: string, market = TESTNET): Buyer {
  const scheme = new ExactStellarScheme(createEd25519Signer(secret, market.network), { url: rpcUrl });
  const client = new x402Client().register(market.network, scheme).setSpendControls(spendControls(market));
  return {
    fetch: wrapFetchWithPayment(fetch, client),
    client,
    async sign(terms) {
      return { ...(await scheme.createPaymentPayload(2, terms)), accepted: terms };
    },
  };
}
