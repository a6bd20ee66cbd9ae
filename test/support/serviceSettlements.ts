import { StrKey, xdr } from '@stellar/stellar-sdk';
import { expect } from 'vitest';
import type { FacilitatorRequest, SettleResponse } from '../../src/contract/index.ts';
import {
  AMOUNT,
  MAX_TIMEOUT_SECONDS,
  requestFor,
  requirementsFor,
  signTransfer,
  type TransferTerms,
} from './payments.ts';
import { tamper, type Draft } from './paymentsDraft.ts';
import type { Stage } from './serviceStage.ts';
import { NETWORK } from './playedNetwork.ts';

export interface Payment {
  payer: string;
  payTo: string;
  /** The last ledger in which the authorization holds. */
  expiration: number;
  transaction: string;
  request: FacilitatorRequest;
}

/** A settlement as the ledger holds it. */
export interface Settlement {
  ledger: number;
  tx: xdr.Transaction;
  feeBump: xdr.FeeBumpTransaction | undefined;
  /** The submitter. */
  source: string;
  call: xdr.InvokeHostFunctionOp;
  feeCharged: bigint;
}

export interface Settlements {
  /** A payment of AMOUNT to a new account, by a new account unless told. */
  newPayment(terms?: Partial<TransferTerms>, edit?: (draft: Draft) => void): Payment;
  /** Holds the answer to a success and the payment to its recipient's balance; returns the hash. */
  expectSettled(answer: SettleResponse, payment: Payment): string;
  settlement(hash: string): Settlement;
  statusOf(hash: string): unknown;
  /** How often something was sent to the network. */
  sends(): number;
  /** Until that is so many times. */
  sent(times: number): Promise<void>;
}

/** Making payments on a stage, and finding what became of them. */
export function settlementsOn(stage: Stage): Settlements {
  const find = (hash: string) =>
    (stage.sandbox.network.rpc('getTransaction', { hash }) as { result: Record<string, any> }).result;
  const sends = () => stage.sandbox.calls.counts()['sendTransaction'] ?? 0;
  return {
    newPayment(terms = {}, edit = () => {}) {
      const { sandbox } = stage;
      const key = terms.key ?? sandbox.account();
      const payTo = sandbox.account(0n).publicKey();
      const requirements = requirementsFor(payTo);
      const expiration = sandbox.expirationIn(MAX_TIMEOUT_SECONDS);
      const nonce = sandbox.nonce();
      const signed = signTransfer({ key, requirements, expiration, nonce, ...terms });
      const transaction = tamper(signed, edit);
      const request = requestFor(requirements, transaction);
      return { payer: terms.from ?? key.publicKey(), payTo, expiration, transaction, request };
    },
    expectSettled(answer, { payer, payTo }) {
      expect(answer).toEqual({
        success: true,
        transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
        network: NETWORK,
        payer,
      });
      expect(stage.sandbox.usdc(payTo)).toBe(AMOUNT);
      return answer.transaction;
    },
    settlement(hash) {
      const { ledger, envelopeXdr, resultXdr } = find(hash);
      const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64');
      const feeBump = envelope.type === 'envelopeTypeTxFeeBump' ? envelope.feeBump.tx : undefined;
      const { tx } = envelope.type === 'envelopeTypeTx' ? envelope.v1 : feeBump!.innerTx.v1;
      const { feeCharged } = xdr.TransactionResult.fromXdr(resultXdr, 'base64');
      const source = accountOf(tx.sourceAccount);
      return { ledger, tx, feeBump, source, call: invocationIn(tx), feeCharged };
    },
    statusOf: (hash) => find(hash)['status'],
    sends,
    sent: (times) => expect.poll(sends, { interval: 2 }).toBe(times),
  };
}

/** A plain account's address. */
export function accountOf(source: xdr.MuxedAccount): string {
  if (source.type !== 'keyTypeEd25519') throw new Error('a muxed source');
  return StrKey.encodeEd25519PublicKey(source.ed25519.value);
}

/** The one contract call of a transaction. */
export function invocationIn(tx: xdr.Transaction): xdr.InvokeHostFunctionOp {
  const body = tx.operations[0]?.body;
  if (body?.type !== 'invokeHostFunction') throw new Error('this is no payment');
  return body.invokeHostFunctionOp;
}
