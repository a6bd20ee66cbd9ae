import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { judge, type Found } from '../../src/cli/payments/audit/verdict.ts';
import type { SettlementRecord } from '../../src/journal/index.ts';
import { RpcFault } from '../../src/stellar/rpc/fault.ts';
import { requirementsFor, signTransfer, USDC } from '../support/payments.ts';

const CLOSED_SECONDS = 1_780_000_000;
const key = Keypair.random();
const payTo = Keypair.random().publicKey();
const envelopeXdr = signTransfer({ key, requirements: requirementsFor(payTo), expiration: 100, nonce: 1n });

const RECORD: SettlementRecord = {
  hash: 'a'.repeat(64),
  status: 'settled',
  payer: key.publicKey(),
  payTo,
  amount: '100000',
  asset: USDC,
  resource: undefined,
  caller: undefined,
  requestId: undefined,
  code: undefined,
  message: undefined,
  result: undefined,
  submitter: 'G',
  bidStroops: 1,
  feeStroops: undefined,
  ledger: 70,
  askedAt: undefined,
  verifiedAt: undefined,
  sentAt: new Date((CLOSED_SECONDS - 5) * 1000),
  closedAt: new Date(CLOSED_SECONDS * 1000),
  endedAt: undefined,
  listing: undefined,
  listedAt: undefined,
  paymentIdentifier: undefined,
};
const unsettled = (status: SettlementRecord['status']): SettlementRecord => ({
  ...RECORD,
  status,
  ledger: undefined,
  closedAt: undefined,
});

/** A node whose history reaches from `oldest` to `latest` seconds after the close. */
const lacks = (oldest: number, latest: number): Found => ({
  status: 'NOT_FOUND',
  oldestLedger: 1,
  oldestLedgerCloseTime: String(CLOSED_SECONDS + oldest),
  latestLedger: 100,
  latestLedgerCloseTime: String(CLOSED_SECONDS + latest),
});
const has = (changes: Partial<Found> = {}): Found => ({
  ...lacks(-1_000, 1_000),
  status: 'SUCCESS',
  ledger: 70,
  createdAt: String(CLOSED_SECONDS),
  envelopeXdr,
  ...changes,
});
const dead = new RpcFault('getTransaction: no answer in time');

const missing = [{ fact: 'status', here: 'settled', there: 'not found' }];

describe('a settled payment', () => {
  test.each<[string, (Found | RpcFault)[], object]>([
    ['one node has it', [has()], { kind: 'agrees' }],
    ['another node has it', [lacks(-1_000, 1_000), has()], { kind: 'agrees' }],
    ['another node has it, and one is dead', [dead, has()], { kind: 'agrees' }],
    ['a node that must have it lacks it', [lacks(-1_000, 1_000)], { kind: 'differs', differences: missing }],
    ['its ledger is the last one', [lacks(-1_000, 0)], { kind: 'differs', differences: missing }],
    ['its ledger is the oldest one', [lacks(0, 1_000)], { kind: 'differs', differences: missing }],
    [
      'a node that must have it lacks it, the other history is short',
      [lacks(1, 1_000), lacks(-1_000, 1_000)],
      { kind: 'differs', differences: missing },
    ],
    ['all histories are short', [lacks(1, 1_000), lacks(500, 1_000)], { kind: 'tooOld' }],
    ['one history is short, one node is dead', [lacks(1, 1_000), dead], { kind: 'unchecked' }],
    ['all nodes are dead', [dead], { kind: 'unchecked' }],
    ['the node lags', [lacks(-1_000, -1)], { kind: 'unchecked' }],
    ['its transaction cannot be read', [has({ envelopeXdr: 'AAAA' })], { kind: 'unchecked' }],
  ])('when %s', (_case, answers, verdict) => {
    expect(judge(RECORD, answers)).toMatchObject(verdict);
  });

  test('differs in each fact that is not as on the ledger', () => {
    const verdict = judge({ ...RECORD, amount: '1', ledger: 71 }, [has({ status: 'FAILED' })]);
    expect(verdict).toEqual({
      kind: 'differs',
      differences: [
        { fact: 'status', here: 'settled', there: 'failed' },
        { fact: 'ledger', here: 71, there: 70 },
        { fact: 'amount', here: '1', there: '100000' },
      ],
    });
  });

  test('of an older version differs in nothing that it does not say', () => {
    const older = { ...RECORD, payTo: undefined, amount: undefined, asset: undefined, closedAt: undefined };
    expect(judge(older, [has()])).toEqual({ kind: 'agrees' });
  });
});

describe.each(['pending', 'rejected', 'expired', 'forgotten'] as const)('a %s payment', (status) => {
  test('is right if no ledger holds it', () => {
    expect(judge(unsettled(status), [lacks(-1_000, 1_000)])).toEqual({ kind: 'agrees' });
  });

  test.each([
    ['SUCCESS', 'settled'],
    ['FAILED', 'failed'],
  ] as const)('is wrong if a ledger holds it: %s', (answered, there) => {
    expect(judge(unsettled(status), [has({ status: answered })])).toEqual({
      kind: 'differs',
      differences: [{ fact: 'status', here: status, there }],
    });
  });
});

test('a pending payment whose ledger has just closed is not wrong yet', () => {
  const answer = has({ latestLedgerCloseTime: String(CLOSED_SECONDS + 10) });
  expect(judge(unsettled('pending'), [answer])).toEqual({ kind: 'agrees' });
  expect(judge(unsettled('expired'), [answer])).toMatchObject({ kind: 'differs' });
});
