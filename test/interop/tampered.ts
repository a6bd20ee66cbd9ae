import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { ladder } from '../scheme/ladder.ts';
import type { Defect } from '../scheme/rungs/rung.ts';
import { followCall, type Attempt } from '../support/paymentsAttempt.ts';
import {
  accountSignature,
  address,
  i128,
  muxed,
  sign,
  feeBumpBy,
  type Draft,
} from '../support/paymentsDraft.ts';

/** One change to a stock client's payment, by name. */
export interface Tampering extends Defect {
  /** The service's envelope rules would answer first: it is given to the scheme itself. */
  onScheme?: boolean;
}

/** Everything that a rung of the ladder refuses. */
const spoilt: Tampering[] = ladder.flatMap(({ code, reached, defects }) =>
  defects.map(({ name, spoil }) => ({
    name: `${code.replace(/^invalid_exact_stellar_(payload_)?/, '')}: ${name}`,
    spoil,
    onScheme: reached === 'scheme itself',
  })),
);

/** What is not the seller's business, or is said in another way: good payments, mostly. */
const restyled: Tampering[] = [
  { name: 'untouched', spoil: () => {} },
  { name: 'a memo', spoil: edit((draft) => void (draft.memo = xdr.Memo.memoText('thanks'))) },
  {
    name: 'no time bounds',
    spoil: edit((draft) => void (draft.preconditions = xdr.Preconditions.precondNone())),
  },
  {
    name: 'time bounds in the past',
    spoil: edit((draft) => {
      const timeBounds = new xdr.TimeBounds({ minTime: 1n, maxTime: 2n });
      draft.preconditions = xdr.Preconditions.precondTime(timeBounds);
    }),
  },
  { name: 'another sequence number', spoil: edit((draft) => void (draft.sequence = 2n ** 62n)) },
  {
    name: 'the payer as source of the operation',
    spoil: ({ draft, payer }) =>
      void (draft.operationSource = xdr.MuxedAccount.keyTypeEd25519(payer.rawPublicKey())),
  },
  { name: 'a fee bid of 100 stroops', spoil: edit((draft) => void (draft.fee = 100)) },
  { name: 'a fee bid above the ceiling', spoil: edit((draft) => void (draft.fee = 50_001)) },
  { name: 'no resources', spoil: edit((draft) => void (draft.ext = xdr.TransactionExt.v0())) },
  {
    name: 'V2 credentials',
    spoil({ draft, payer }) {
      draft.entries[0]!.credentials = 'addressV2';
      sign(draft.entries[0]!, payer);
    },
  },
  {
    name: 'a muxed recipient',
    spoil(attempt) {
      const { paymentRequirements } = attempt.request;
      paymentRequirements.payTo = muxed(paymentRequirements.payTo, '42');
      attempt.draft.args[1] = address(paymentRequirements.payTo);
      followCall(attempt);
    },
  },
  {
    name: 'a signed second entry that no call uses',
    spoil({ draft }, { stranger }) {
      const second = { ...draft.entries[0]!, address: new Address(stranger.publicKey()).toScAddress() };
      sign(second, stranger);
      draft.entries.push(second);
    },
  },
  { name: 'an expiration of the next ledger', spoil: expiring(({ lastLedger }) => lastLedger - 301) },
  { name: 'an expiration at the bound', spoil: expiring(({ lastLedger }) => lastLedger) },
  { name: 'an expiration one ledger beyond the bound', spoil: expiring(({ lastLedger }) => lastLedger + 1) },
  {
    name: 'an amount of nothing',
    spoil(attempt) {
      attempt.draft.args[2] = i128(0n);
      attempt.request.paymentRequirements.amount = '0';
      followCall(attempt);
    },
  },
  {
    name: 'no time asked for',
    spoil: ({ request }) => void (request.paymentRequirements.maxTimeoutSeconds = 0),
  },
  {
    name: 'no accepted terms',
    spoil: ({ request }) => void (request.paymentPayload.accepted = null as never),
  },
  {
    name: 'accepted terms that differ in the amount',
    spoil: ({ request }) => void (request.paymentPayload.accepted['amount'] = '1'),
  },
];

const forged: Tampering[] = [
  {
    name: 'the signature of another payment',
    spoil({ draft }) {
      draft.entries[0]!.nonce += 1n;
    },
  },
  {
    name: 'a later expiration than was signed',
    spoil({ draft }) {
      draft.entries[0]!.expiration += 1;
    },
  },
  {
    name: 'a signature of zeros',
    spoil: ({ draft, payer }) =>
      void (draft.entries[0]!.signature = accountSignature(payer.rawPublicKey(), Buffer.alloc(64))),
  },
  {
    name: 'a signature that names another key',
    spoil: ({ draft }, { stranger }) => sign(draft.entries[0]!, stranger),
  },
  {
    name: 'an empty list of signatures',
    spoil: edit(({ entries }) => void (entries[0]!.signature = xdr.ScVal.scvVec([]))),
  },
  {
    name: 'true for a signature',
    spoil: edit(({ entries }) => void (entries[0]!.signature = xdr.ScVal.scvBool(true))),
  },
  {
    name: 'V2 credentials with a V1 signature',
    spoil: edit(({ entries }) => void (entries[0]!.credentials = 'addressV2')),
  },
  {
    name: 'an authorization by a stranger only',
    spoil({ draft }, { stranger }) {
      draft.entries[0]!.address = new Address(stranger.publicKey()).toScAddress();
      sign(draft.entries[0]!, stranger);
    },
  },
  {
    name: 'a forged entry before the good one',
    spoil: ({ draft }) => void draft.entries.unshift({ ...draft.entries[0]!, nonce: 1n }),
  },
  {
    name: 'a payer without an account',
    spoil(attempt) {
      attempt.draft.args[0] = address('GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF');
      followCall(attempt);
    },
  },
  {
    name: 'a stranger as payer',
    spoil(attempt, { stranger }) {
      attempt.draft.args[0] = address(stranger.publicKey());
      followCall(attempt);
    },
  },
  {
    name: 'a recipient without an account',
    spoil(attempt) {
      const payTo = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';
      attempt.draft.args[1] = address(payTo);
      attempt.request.paymentRequirements.payTo = payTo;
      followCall(attempt);
    },
  },
  {
    name: 'the payer as recipient',
    spoil(attempt) {
      const payTo = attempt.payer.publicKey();
      attempt.draft.args[1] = address(payTo);
      attempt.request.paymentRequirements.payTo = payTo;
      followCall(attempt);
    },
  },
  {
    name: 'a submitter as recipient',
    spoil(attempt, { submitter }) {
      attempt.draft.args[1] = address(submitter);
      attempt.request.paymentRequirements.payTo = submitter;
      followCall(attempt);
    },
  },
  {
    name: 'an asset that is no contract of the network',
    spoil(attempt, { newContract }) {
      attempt.draft.contract = new Address(newContract).toScAddress();
      attempt.request.paymentRequirements.asset = newContract;
      followCall(attempt);
    },
  },
];

const types = ['u64', 'i64', 'u128', 'u256', 'i256'] as const;
const mistyped: Tampering[] = [
  ...types.map((type) => ({
    name: `the amount as ${type}`,
    spoil(attempt: Attempt) {
      attempt.draft.args[2] = nativeToScVal(100_000n, { type });
      followCall(attempt);
    },
  })),
  {
    name: 'the payer as a string',
    spoil({ draft, payer }) {
      draft.args[0] = xdr.ScVal.scvString(payer.publicKey());
    },
  },
  {
    name: 'a muxed payer',
    spoil(attempt) {
      attempt.draft.args[0] = address(muxed(attempt.payer.publicKey(), '7'));
      followCall(attempt);
    },
  },
];

const amounts = ['0100000', ' 100000', '0x186a0', '100000.0', '1e5', '+100000', '-100000', 'many'];
const misspelt: Tampering[] = amounts.map((amount) => ({
  name: `the amount asked for written as ${JSON.stringify(amount)}`,
  spoil: ({ request }) => void (request.paymentRequirements.amount = amount),
}));

const recoded: Tampering[] = (
  [
    ['a line break in the base64', (encoded) => `${encoded.slice(0, 76)}\n${encoded.slice(76)}`],
    ['padding in the base64 that is not needed', (encoded) => `${encoded}====`],
    ['a character of no alphabet in the base64', (encoded) => `${encoded.slice(0, 8)}*${encoded.slice(8)}`],
    ['bytes behind the envelope', (encoded) => appended(encoded, Buffer.alloc(4))],
    ['a second envelope behind the first', (encoded) => appended(encoded, Buffer.from(encoded, 'base64'))],
    ['hexadecimal for base64', (encoded) => Buffer.from(encoded, 'base64').toString('hex')],
  ] as [string, (encoded: string) => string][]
).map(([name, transaction]) => ({ name, spoil: (attempt) => void (attempt.transaction = transaction) }));

const wrapped: Tampering[] = [
  {
    name: 'a fee bump around it',
    spoil({ draft, payer }) {
      draft.envelope = feeBumpBy(payer);
    },
  },
  {
    name: 'a v0 envelope',
    spoil({ draft, payer }) {
      draft.envelope = ({ tx: { fee, seqNum, memo, operations } }) =>
        xdr.TransactionEnvelope.envelopeTypeTxV0(
          new xdr.TransactionV0Envelope({
            tx: new xdr.TransactionV0({
              sourceAccountEd25519: payer.rawPublicKey(),
              fee,
              seqNum,
              timeBounds: null,
              memo,
              operations,
              ext: xdr.TransactionV0Ext.v0(),
            }),
            signatures: [],
          }),
        );
    },
  },
];

/** Changes to a stock payment that verify and settle must see through. */
export const tamperings: readonly Tampering[] = [
  ...restyled,
  ...spoilt,
  ...forged,
  ...mistyped,
  ...misspelt,
  ...recoded,
  ...wrapped,
];

function edit(change: (draft: Draft) => void): Defect['spoil'] {
  return ({ draft }) => change(draft);
}

function expiring(ledger: (cast: { lastLedger: number }) => number): Defect['spoil'] {
  return ({ draft, payer }, cast) => {
    draft.entries[0]!.expiration = ledger(cast);
    sign(draft.entries[0]!, payer);
  };
}

function appended(encoded: string, bytes: Uint8Array): string {
  return Buffer.concat([Buffer.from(encoded, 'base64'), bytes]).toString('base64');
}
