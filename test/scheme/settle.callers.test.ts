import { BlockList } from 'node:net';
import { expect, test } from 'vitest';
import type { FacilitatorRequest, SettleResponse } from '../../src/contract/index.ts';
import { post } from '../http/support.ts';
import { sample } from '../support/sample.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, sent, settlement } = settlementsOn(stage);

const SUBMITTERS = 4;
/** What waits at the same time; a service lets more wait, but not all come to be verified at once. */
const FLOOD = sample(100, 1_000);
const AT_ONCE = 100;
const TIMEOUT_MS = 120_000;

/** This machine, as the proxy that says who calls. */
const trustedProxies = new BlockList();
trustedProxies.addAddress('127.0.0.1');

const simulations = (): number => stage.sandbox.calls.counts()['simulateTransaction'] ?? 0;
const closeLedger = (): void => stage.sandbox.network.closeLedger();
const latestLedger = (): number =>
  (stage.sandbox.network.rpc('getLatestLedger', {}) as { result: { sequence: number } }).result.sequence;
const verified = (payments: number): Promise<void> =>
  expect.poll(simulations, { timeout: TIMEOUT_MS }).toBeGreaterThanOrEqual(payments);

test(
  `with ${FLOOD} payments of one caller in line, a payment of another is in the next ledger but one`,
  { timeout: 2 * TIMEOUT_MS },
  async () => {
    const submitters = Array.from({ length: SUBMITTERS }, () => stage.sandbox.submitter());
    const parts = { limits: { drainMs: 100 } };
    const { url, close } = await stage.open({ submitters, parts, callers: { trustedProxies } });
    const settleAs = async (caller: string, request: FacilitatorRequest): Promise<SettleResponse> => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': caller };
      return (await post(`${url}/settle`, JSON.stringify(request), headers)).body as SettleResponse;
    };
    stage.sandbox.stopLedgers();
    const flood: Promise<SettleResponse>[] = [];
    while (flood.length < FLOOD) {
      for (let nth = 0; nth < AT_ONCE; nth++) flood.push(settleAs('203.0.113.1', newPayment().request));
      await verified(flood.length);
    }
    await sent(SUBMITTERS);
    closeLedger();
    await sent(2 * SUBMITTERS);

    const [verifiedBefore, ledgerBefore] = [simulations(), latestLedger()];
    const settled = settleAs('203.0.113.2', newPayment().request);
    await verified(verifiedBefore + 1);
    closeLedger();
    await sent(3 * SUBMITTERS);
    closeLedger();
    const { success, transaction } = await settled;
    expect(success).toBe(true);
    expect(settlement(transaction).ledger).toBe(ledgerBefore + 2);
    await close();
    await Promise.all(flood);
  },
);
