import type { VerifyCode } from '../../src/contract/index.ts';

type Verdict = VerifyCode | 'valid';

/** Payments on which this facilitator answers otherwise than @x402/stellar 2.9.0, and why. */
export interface Difference {
  /** A code that the contract does not have was removed upstream after that version. */
  stock: Verdict | 'invalid_exact_stellar_payload_fee_below_minimum';
  ours: Verdict;
  reason: string;
  payments: readonly string[];
}

const clientBid =
  "The settlement's price is simulated afresh and the client's bid plays no part (specification 4.2); 2.9.0 holds the bid against ceiling and simulation.";
const noEntries =
  'Without entries the simulation records them, at a fee that no settlement would pay; what is missing is the entries. 2.9.0 holds the bid against that fee first.';
const safetySet =
  'No address of the facilitator may play a part in a payment (specification 1): also not the fee-bump account, nor a muxed form of an address. 2.9.0 knows the submitters only, letter by letter.';
const noHoldings =
  'Submitters never hold the payment asset (specification 1): no address of the facilitator may even be paid. 2.9.0 looks at who signs only.';
const newCredentials =
  'Credentials of CAP-71 are read; the stellar-sdk 14 of 2.9.0 cannot decode an envelope that holds them.';
const types =
  'The arguments are an address, an address and an i128 (specification 4.1); 2.9.0 compares them as JavaScript values and leaves their types to the network.';
const spelling =
  'An amount is an integer in base units, written in one way only; 2.9.0 reads whatever BigInt reads.';
const unreadableAmount =
  'What is no integer in base units is not the amount of the transfer; 2.9.0 throws while it reads such an amount.';
const oneReading =
  'Two readers must not see two texts as one payment: base64 is taken in its canonical form only, without line breaks or bytes that decoders pass over.';

export const differences: readonly Difference[] = [
  {
    stock: 'invalid_exact_stellar_payload_fee_below_minimum',
    ours: 'valid',
    reason: clientBid,
    payments: ['a fee bid of 100 stroops'],
  },
  {
    stock: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
    ours: 'valid',
    reason: clientBid,
    payments: ['a fee bid above the ceiling'],
  },
  {
    stock: 'valid',
    ours: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
    reason: clientBid,
    payments: ['fee_exceeds_maximum: a resource fee of the ceiling itself'],
  },
  {
    stock: 'invalid_exact_stellar_payload_fee_below_minimum',
    ours: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
    reason: clientBid,
    payments: ['fee_exceeds_maximum: a recipient whose balance has to be opened first'],
  },
  {
    stock: 'invalid_exact_stellar_payload_fee_below_minimum',
    ours: 'invalid_exact_stellar_payload_no_auth_entries',
    reason: noEntries,
    payments: ['no_auth_entries: an empty list'],
  },
  {
    stock: 'valid',
    ours: 'invalid_exact_stellar_payload_unsafe_tx_or_op_source',
    reason: safetySet,
    payments: [
      'unsafe_tx_or_op_source: a muxed form of a submitter as source',
      'unsafe_tx_or_op_source: the fee-bump account as source',
      'unsafe_tx_or_op_source: a muxed form of the fee-bump account as source of the operation',
    ],
  },
  {
    stock: 'invalid_exact_stellar_payload_simulation_failed',
    ours: 'invalid_exact_stellar_payload_facilitator_is_payer',
    reason: safetySet,
    payments: [
      'facilitator_is_payer: the fee-bump account as payer',
      'facilitator_is_payer: a muxed form of a submitter as payer',
    ],
  },
  {
    stock: 'valid',
    ours: 'invalid_exact_stellar_payload_facilitator_in_auth',
    reason: safetySet,
    payments: [
      'facilitator_in_auth: the fee-bump account in a second entry',
      'facilitator_in_auth: a muxed form of a submitter in a second entry, which the RPC does not look at',
      "facilitator_in_auth: a submitter deep in an argument of a second entry's call",
      "facilitator_in_auth: a submitter's key in the signature of a second entry",
    ],
  },
  {
    stock: 'valid',
    ours: 'invalid_exact_stellar_payload_facilitator_in_auth',
    reason: noHoldings,
    payments: [
      "facilitator_in_auth: a submitter among the arguments of a second entry's call",
      'facilitator_in_auth: a submitter as recipient of lumens',
      'facilitator_in_auth: the fee-bump account as recipient of lumens',
    ],
  },
  {
    stock: 'invalid_exact_stellar_payload_event_wrong_to',
    ours: 'invalid_exact_stellar_payload_facilitator_in_auth',
    reason: noHoldings,
    payments: [
      'facilitator_in_auth: a muxed form of a submitter as recipient of lumens',
      'facilitator_in_auth: a muxed form of the fee-bump account as recipient of lumens',
    ],
  },
  {
    stock: 'invalid_exact_stellar_payload_malformed',
    ours: 'valid',
    reason: newCredentials,
    payments: ['V2 credentials'],
  },
  {
    stock: 'invalid_exact_stellar_payload_malformed',
    ours: 'invalid_exact_stellar_payload_simulation_failed',
    reason: newCredentials,
    payments: ['V2 credentials with a V1 signature'],
  },
  {
    stock: 'invalid_exact_stellar_payload_malformed',
    ours: 'invalid_exact_stellar_payload_unsupported_credential_type',
    reason: newCredentials,
    payments: [
      'unsupported_credential_type: a second entry with delegates',
      "unsupported_credential_type: a payer's entry with delegates",
    ],
  },
  {
    stock: 'invalid_exact_stellar_payload_simulation_failed',
    ours: 'invalid_exact_stellar_payload_wrong_recipient',
    reason: types,
    payments: ['wrong_recipient: the recipient as a string'],
  },
  {
    stock: 'invalid_exact_stellar_payload_simulation_failed',
    ours: 'invalid_exact_stellar_payload_wrong_amount',
    reason: types,
    payments: [
      'wrong_amount: the amount as u64',
      'the amount as u64',
      'the amount as i64',
      'the amount as u128',
      'the amount as u256',
      'the amount as i256',
    ],
  },
  {
    stock: 'valid',
    ours: 'invalid_exact_stellar_payload_event_wrong_amount',
    reason: types,
    payments: ['event_wrong_amount: the amount as u64'],
  },
  {
    stock: 'valid',
    ours: 'invalid_exact_stellar_payload_wrong_amount',
    reason: spelling,
    payments: [
      'the amount asked for written as "0100000"',
      'the amount asked for written as " 100000"',
      'the amount asked for written as "0x186a0"',
      'the amount asked for written as "+100000"',
    ],
  },
  {
    stock: 'unexpected_verify_error',
    ours: 'invalid_exact_stellar_payload_wrong_amount',
    reason: unreadableAmount,
    payments: [
      'the amount asked for written as "100000.0"',
      'the amount asked for written as "1e5"',
      'the amount asked for written as "many"',
    ],
  },
  {
    stock: 'valid',
    ours: 'invalid_exact_stellar_payload_malformed',
    reason: oneReading,
    payments: [
      'a line break in the base64',
      'padding in the base64 that is not needed',
      'a character of no alphabet in the base64',
    ],
  },
  {
    stock: 'unexpected_verify_error',
    ours: 'invalid_exact_stellar_payload_malformed',
    reason: 'A v0 envelope is no payment of this scheme; 2.9.0 decodes it and stumbles over it later.',
    payments: ['a v0 envelope'],
  },
  {
    stock: 'unexpected_verify_error',
    ours: 'valid',
    reason:
      "The client's preconditions do not reach the settlement; 2.9.0 rebuilds the client's transaction, and its SDK refuses to without time bounds.",
    payments: ['no time bounds'],
  },
  {
    stock: 'unexpected_verify_error',
    ours: 'unsupported_scheme',
    reason: 'A payload that accepts no terms accepts no scheme; 2.9.0 throws while it reads them.',
    payments: ['no accepted terms'],
  },
  {
    stock: 'invalid_exact_stellar_payload_event_wrong_to',
    ours: 'valid',
    reason:
      "A muxed recipient is paid and verified; 2.9.0 holds the event's base account against the muxed address.",
    payments: ['a muxed recipient'],
  },
  {
    stock: 'invalid_exact_stellar_payload_event_wrong_amount',
    ours: 'invalid_exact_stellar_payload_event_wrong_to',
    reason: 'Both forms of transfer events are read (CAP-67); 2.9.0 takes a map for a wrong amount.',
    payments: ['event_wrong_to: a muxed id that nobody asked for'],
  },
  {
    stock: 'valid',
    ours: 'invalid_exact_stellar_payload_no_transfer_events',
    reason: 'An event of a call that was rolled back moved nothing; 2.9.0 does not look at that.',
    payments: ['no_transfer_events: only one that was rolled back'],
  },
];
