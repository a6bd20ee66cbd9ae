/** A seller of several things and its buyers, all on the stock x402 packages. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { HTTPFacilitatorClient, type FacilitatorConfig } from '@x402/core/server';
import type { SettleResponse } from '@x402/core/types';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import type { PaymentPayload, PaymentRequired } from '@x402/fetch';
import { bazaarResourceServerExtension } from '@x402/extensions/bazaar';
import express from 'express';
import { createBuyer } from '../../demo/buyer.ts';
import { exactStellar } from '../../demo/seller.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { MARKET, NETWORK } from '../support/payments.ts';

/** What a route of the shop sells: all that a stock seller may say of it, beside the price. */
export interface Offer {
  /** The public address, where it is not that of the request. */
  resource?: string;
  description?: string;
  mimeType?: string;
  serviceName?: string;
  tags?: string[];
  iconUrl?: string;
  extensions?: Record<string, unknown>;
}

/** A settlement as the seller's hook is told of it. */
export interface Sale {
  payload: PaymentPayload;
  result: SettleResponse;
}

export interface Shop {
  /** `http://127.0.0.1:…`, without a path. */
  origin: string;
  payTo: string;
  /** Oldest first. */
  sales: readonly Sale[];
  /** What the 402 of a route says. */
  ask(path: string, init?: RequestInit): Promise<PaymentRequired>;
  /** A new buyer pays for a route. */
  buy(path: string, init?: RequestInit): Promise<{ status: number; receipt: SettleResponse }>;
  close(): Promise<void>;
}

export interface ShopDeps {
  sandbox: TestSandbox;
  facilitatorUrl: string;
  /** What the seller shows to the facilitator; nothing unless given. */
  auth?: Pick<FacilitatorConfig, 'createAuthHeaders'>;
}

/** `offers` by route as the stock middleware takes them: `GET /weather/:city`. Every route costs 0.01 USDC. */
export async function openShop(
  { sandbox, facilitatorUrl, auth }: ShopDeps,
  offers: Record<string, Offer>,
): Promise<Shop> {
  const payTo = sandbox.account(0n).publicKey();
  const accepts = { scheme: 'exact', network: NETWORK, payTo, price: '$0.01' } as const;
  const routes = Object.fromEntries(
    Object.entries(offers).map(([route, offer]) => [route, { accepts, ...offer }]),
  );
  const sales: Sale[] = [];
  const x402 = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl, ...auth }))
    .register(NETWORK, exactStellar())
    .registerExtension(bazaarResourceServerExtension)
    .onAfterSettle(async ({ paymentPayload, result }) => {
      sales.push({ payload: paymentPayload, result } as Sale);
    });

  const app = express();
  app.use(paymentMiddleware(routes, x402));
  app.use((_request, response) => void response.json({ sold: true }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    payTo,
    sales,
    async ask(path, init) {
      const unpaid = await fetch(origin + path, init);
      return decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
    },
    async buy(path, init) {
      const { fetch } = createBuyer(sandbox.account().secret(), sandbox.httpsUrl, MARKET);
      const { status, headers } = await fetch(origin + path, init);
      return { status, receipt: decodePaymentResponseHeader(headers.get('payment-response') ?? '') };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
