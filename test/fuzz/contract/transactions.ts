/** Transactions of a payment with one thing changed, and the code that the contract's table gives it. */
import { Address, Asset, Memo, Operation, nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { NATIVE, USDC_ISSUER } from '../../support/payments.ts';
import {
  address,
  i128,
  invocationOf,
  junkEntry,
  muxed,
  sourceOf,
  tamper,
  type Draft,
  type DraftEntry,
} from '../../support/paymentsDraft.ts';

export interface TransactionChange {
  readonly rule: string;
  /** Undefined where the payment stays good. */
  readonly code?: string;
  /** `signer` is an account of the service. Returns base64 XDR. */
  apply(transaction: string, signer: string): string;
}

const PREFIX = 'invalid_exact_stellar_payload_';

const change = (
  rule: string,
  code: string | undefined,
  edit: (draft: Draft, signer: string) => void,
): TransactionChange => ({
  rule,
  ...(code !== undefined && { code: code.startsWith('invalid_') ? code : `${PREFIX}${code}` }),
  apply: (transaction, signer) => tamper(transaction, (draft) => edit(draft, signer)),
});

/** A further entry, which the call does not use. */
const spare = (
  rule: string,
  code: string,
  edit: (entry: DraftEntry, draft: Draft, signer: string) => void,
): TransactionChange =>
  change(`a further authorization entry ${rule}`, code, (draft, signer) => {
    const entry = junkEntry(draft);
    edit(entry, draft, signer);
    draft.entries.push(entry);
  });

const FAR_LEDGERS = 100_000;

export const TRANSACTION_CHANGES: readonly TransactionChange[] = [
  change('the invocation stands there twice', 'wrong_operation', (draft) => {
    draft.operations = (invocation) => [invocation, invocation];
  }),
  change('there is no operation', 'wrong_operation', (draft) => {
    draft.operations = () => [];
  }),
  change('the operation is a classic payment', 'wrong_operation', (draft) => {
    const payment = { destination: USDC_ISSUER, asset: Asset.native(), amount: '1' };
    draft.operations = () => [Operation.payment(payment)];
  }),
  change('its source is a signer', 'unsafe_tx_or_op_source', (draft, signer) => {
    draft.source = sourceOf(signer);
  }),
  change('the source of its operation is a signer, muxed', 'unsafe_tx_or_op_source', (draft, signer) => {
    draft.operationSource = sourceOf(muxed(signer, '7'));
  }),
  change('it calls another contract', 'wrong_asset', (draft) => {
    draft.contract = new Address(NATIVE).toScAddress();
  }),
  change('it calls burn', 'wrong_function_name', (draft) => {
    draft.functionName = 'burn';
  }),
  change('its call has a fourth argument', 'wrong_function_name', (draft) => {
    draft.args.push(i128(1n));
  }),
  change('a signer pays', 'facilitator_is_payer', (draft, signer) => {
    draft.args[0] = address(signer);
  }),
  change('a signer is paid', 'wrong_recipient', (draft, signer) => {
    draft.args[1] = address(signer);
  }),
  change('its amount is one more', 'wrong_amount', (draft) => {
    draft.args[2] = i128(100_001n);
  }),
  change('its amount is of another integer type', 'wrong_amount', (draft) => {
    draft.args[2] = nativeToScVal(100_000n, { type: 'u64' });
  }),
  change('its signature is of another expiration', 'simulation_failed', (draft) => {
    draft.entries[0]!.expiration += 1;
  }),
  change('its authorization has expired', 'simulation_failed', (draft) => {
    draft.entries[0]!.expiration = 1;
  }),
  change('it has no authorization entry', 'no_auth_entries', (draft) => {
    draft.entries = [];
  }),
  spare('has the credentials of the source', 'unsupported_credential_type', (entry) => {
    entry.credentials = 'sourceAccount';
  }),
  spare('is of a signer', 'facilitator_in_auth', (entry, _draft, signer) => {
    entry.address = new Address(signer).toScAddress();
  }),
  spare('holds too long', 'invalid_exact_stellar_signature_expiration_too_far', (entry, { entries }) => {
    entry.expiration = entries[0]!.expiration + FAR_LEDGERS;
  }),
  spare('permits a further call', 'has_subinvocations', (entry, draft) => {
    entry.invocation = invocationOf(draft, [invocationOf(draft)]);
  }),
  spare('still waits for a signature', 'unexpected_pending_signatures', (entry) => {
    entry.signature = xdr.ScVal.scvVoid();
  }),
  // Its source, sequence number, fee, memo and time bounds do not matter.
  change('its fee is high', undefined, (draft) => {
    draft.fee = 4_000_000_000;
  }),
  change('its fee is 0', undefined, (draft) => {
    draft.fee = 0;
  }),
  change('it has a memo', undefined, (draft) => {
    draft.memo = Memo.text('thanks').toXdrObject();
  }),
  change('its sequence number is another', undefined, (draft) => {
    draft.sequence = 2n ** 40n;
  }),
];
