import { Keypair } from '@stellar/stellar-sdk';
import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme } from '@x402/stellar/exact/client';
import type { Network } from './network.ts';

const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA';
const BUYER_USDC = 1_000_000_000_000n;
/** As stock sellers ask. */
const MAX_TIMEOUT_SECONDS = 300;
const AMOUNT = '10000';
const RESOURCE = {
  url: 'https://seller.test/weather',
  description: 'The weather',
  mimeType: 'application/json',
};
/** Asks for a listing. */
export const LISTED = {
  bazaar: {
    info: { input: { type: 'http', method: 'GET' } },
    schema: { properties: { input: { type: 'object' } } },
  },
};
/** Made at the same time. */
const AT_ONCE = 8;

/** Makes what a seller sends to verify and settle: payments that the stock client signed. */
export interface Payments {
  /** A request body, with the authorization of one new payment. */
  next(): Promise<string>;
  several(count: number): Promise<string[]>;
  /** A payment for a resource of its own, which is listed. */
  forListing(): Promise<string>;
  /** A good payment for a seller who asks for another amount. */
  ofWrongAmount(): Promise<string>;
}

/** One buyer with money enough; every payment is an authorization of its own. */
export async function openPayments(network: Network): Promise<Payments> {
  const [buyer, seller] = [Keypair.random(), Keypair.random()];
  for (const { publicKey } of [buyer, seller].map((key) => ({ publicKey: key.publicKey() }))) {
    await network.fund(publicKey);
    await network.mint(publicKey, BUYER_USDC);
  }
  const client = new ExactStellarScheme(createEd25519Signer(buyer.secret(), 'stellar:testnet'), {
    url: network.httpsUrl,
  });
  const paymentRequirements = {
    scheme: 'exact',
    network: 'stellar:testnet' as const,
    asset: USDC,
    amount: AMOUNT,
    payTo: seller.publicKey(),
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    extra: { areFeesSponsored: true },
  };

  async function request(asked = paymentRequirements, more: object = {}): Promise<string> {
    const { x402Version, payload } = await client.createPaymentPayload(2, paymentRequirements);
    const paymentPayload = { x402Version, resource: RESOURCE, accepted: asked, payload, ...more };
    return JSON.stringify({ x402Version, paymentPayload, paymentRequirements: asked });
  }

  let listings = 0;
  return {
    next: () => request(),
    forListing() {
      const resource = { ...RESOURCE, url: `${RESOURCE.url}/${(listings += 1)}` };
      return request(paymentRequirements, { resource, extensions: LISTED });
    },
    async several(count) {
      const made: string[] = [];
      while (made.length < count)
        made.push(
          ...(await Promise.all(
            Array.from({ length: Math.min(AT_ONCE, count - made.length) }, () => request()),
          )),
        );
      return made;
    },
    ofWrongAmount: () => request({ ...paymentRequirements, amount: `${AMOUNT}0` }),
  };
}
