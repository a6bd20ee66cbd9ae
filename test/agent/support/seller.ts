/** A seller of one resource that does whatever a test wants, honest or not. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { PaymentRequirements, SettleResponse } from '../../../src/contract/index.ts';
import type { AgentStage } from './stage.ts';
import { gate } from './waiting.ts';

/** One request of a buyer, and the ways to answer it. */
export interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer;
  /** Path and query. */
  path: string;
  /** The payment that came with it, decoded. */
  payment: any;
  /** 402 with these terms, the seller's own unless told. */
  askToPay(required?: object): void;
  /** Hands the payment to the facilitator. */
  settle(): Promise<SettleResponse>;
  deliver(body?: unknown, receipt?: unknown, status?: number): void;
}

export type Behaviour = (visit: Visit) => unknown;

export interface Seller {
  url: string;
  origin: string;
  /** All requests so far. */
  visits: Visit[];
  /** Those that came with a payment. */
  paid(): Visit[];
}

export const FORECAST = { weather: 'sunny' };

export async function openSeller(
  stage: AgentStage,
  behaviour: Behaviour = sellHonestly,
  terms: Partial<PaymentRequirements> = {},
): Promise<Seller> {
  const visits: Visit[] = [];
  function listener(): RequestListener {
    return async (request, response) => {
      const visit = await visitOf(stage, request, response, stage.terms(terms));
      visits.push(visit);
      await behaviour(visit);
    };
  }
  const server = createServer({ keepAliveTimeout: 1_000 }, listener());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/weather`,
    origin,
    visits,
    paid: () => visits.filter(({ payment }) => payment !== undefined),
  };
}

async function visitOf(
  stage: AgentStage,
  request: IncomingMessage,
  response: ServerResponse,
  terms: PaymentRequirements,
): Promise<Visit> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const header = request.headers['payment-signature'];
  const payment = typeof header === 'string' ? decode(header) : undefined;
  const url = `http://${request.headers.host}${request.url}`;
  return {
    request,
    response,
    body: Buffer.concat(chunks),
    path: request.url ?? '',
    payment,
    askToPay(required = {}) {
      response.statusCode = 402;
      const asked = { x402Version: 2, resource: { url }, accepts: [terms], ...required };
      response.setHeader('PAYMENT-REQUIRED', encode(asked)).end('{}');
    },
    settle: () =>
      stage.facilitator.settle({
        x402Version: 2,
        paymentPayload: payment,
        paymentRequirements: payment.accepted,
      }),
    deliver(body = FORECAST, receipt?, status = 200) {
      response.statusCode = status;
      if (receipt !== undefined) response.setHeader('PAYMENT-RESPONSE', encode(receipt));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    },
  };
}

/** A seller that settles, and delivers once it is let. */
export async function openSlowSeller(stage: AgentStage) {
  const { opened, open } = gate();
  const seller = await openSeller(
    stage,
    whenPaid(async (visit) => {
      const receipt = await visit.settle();
      await opened;
      visit.deliver(FORECAST, receipt);
    }),
  );
  return { seller, open };
}

/** Settles before it delivers, and says what the facilitator said. */
export async function sellHonestly(visit: Visit): Promise<void> {
  if (visit.payment === undefined) return visit.askToPay();
  const receipt = await visit.settle();
  if (receipt.success) visit.deliver(FORECAST, receipt);
  else visit.deliver({}, receipt, 402);
}

/** 402 to who comes without a payment, `behaviour` for the others. */
export function whenPaid(behaviour: Behaviour): Behaviour {
  return (visit) => (visit.payment === undefined ? visit.askToPay() : behaviour(visit));
}

export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

export function decode(header: string): any {
  return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
}
