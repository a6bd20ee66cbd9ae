/** Payments whose signature others got to see before their target did: the RPC simulates what was signed. */
import { text } from 'node:stream/consumers';
import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { transferTransaction } from '../../src/agent/wallet/transfer.ts';
import { AMOUNT } from '../support/payments.ts';
import { openHttpServer } from './support/httpServer.ts';
import { FORECAST, openSeller } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

/** What a node does with a signed payment; it answers 503 then. */
type Theft = (signedTransaction: string, simulated: Simulated) => unknown;

interface Simulated {
  transactionData: string;
  minResourceFee: string;
}

/** The local network's RPC, apart from what it does with the first signed payments that it is shown. */
function openFalseRpc(theft: Theft, times: number): Promise<string> {
  const shown = new Set<string>();
  return openHttpServer(async (request, response) => {
    const body = await text(request);
    const { method, params } = JSON.parse(body) as { method: string; params: Record<string, string> };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(stage.sandbox.url, { method: 'POST', body, headers });
    const answered = await answer.text();
    if (method !== 'simulateTransaction' || params['authMode'] !== 'enforce' || times-- <= 0)
      return void response.end(answered);
    const { transaction = '' } = params;
    // It is shown twice.
    if (!shown.has(transaction))
      await theft(transaction, (JSON.parse(answered) as { result: Simulated }).result);
    shown.add(transaction);
    response.writeHead(503).end();
  });
}

/** Has the payment taken, as anybody can who has its signature. */
async function take(transaction: string, { transactionData, minResourceFee }: Simulated): Promise<void> {
  const envelope = xdr.TransactionEnvelope.fromXdr(transaction, 'base64');
  const body = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.operations[0]?.body : undefined;
  if (body?.type !== 'invokeHostFunction') throw new Error('no payment');
  const { hostFunction, auth } = body.invokeHostFunctionOp;
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract') throw new Error('no payment');
  const assembled = transferTransaction(hostFunction.invokeContract, auth, {
    needed: { data: transactionData, feeStroops: BigInt(minResourceFee) },
    nowSeconds: Math.floor(Date.now() / 1000),
  });
  const terms = stage.terms();
  const payload = { x402Version: 2, accepted: terms, payload: { transaction: assembled } };
  const request = { x402Version: 2, paymentPayload: payload, paymentRequirements: terms };
  expect(await stage.facilitator.settle(request as never)).toMatchObject({ success: true });
}

describe('a payment that was signed and could not be sent', () => {
  test('is told as paid where it was taken all the same, and nothing more is paid', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer({
      RPC_URL: await openFalseRpc(take, Infinity),
      SVC_MCP_SESSION_BUDGET: String(AMOUNT),
    });
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringMatching(/not sent to the target.*WERE PAID/),
      paid: true,
      payment: { status: 'settled', transaction: expect.stringMatching(/^[0-9a-f]{64}$/) },
      receipt: null,
    });
    expect(buyer.log.map(({ msg }) => msg)).toEqual(['payment signed', 'payment ended']);
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_declined_by_policy',
    });
    expect(seller.paid()).toEqual([]);
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('has an unknown end until it can no longer be taken, and then the same call pays anew', async () => {
    Object.assign(stage.limits, { answerWithinMs: 2_500, minToPayMs: 0, refusedFollowMs: 200 });
    const seller = await openSeller(stage);
    const buyer = await stage.buyer({
      RPC_URL: await openFalseRpc(() => {}, 2),
      SVC_MCP_SESSION_BUDGET: String(AMOUNT),
    });
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringMatching(/not sent to the target.*NOT KNOWN YET/),
      paid: null,
      payment: { status: 'unknown' },
    });
    expect((await buyer.pay({ url: seller.url, input: { day: 2 } })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_declined_by_policy',
    });
    stage.limits.answerWithinMs = 25_000;
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({ paid: true, result: FORECAST });
    expect(buyer.spent()).toBe(AMOUNT);
  });
});
