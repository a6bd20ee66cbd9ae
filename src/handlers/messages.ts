import type { EnvelopeCode, ErrorReason, InvalidReason } from '../contract/index.ts';

type Code = InvalidReason | ErrorReason | EnvelopeCode;

/** Explains each code, for a refusal that comes without a text of its own. */
const DEFAULT_MESSAGES: Readonly<Record<Code, string>> = {
  invalid_x402_version: 'The payload declares a protocol version that is not supported.',
  unsupported_scheme: 'The scheme in the payload or the requirements is not exact.',
  network_mismatch: 'The payload was made for another network than the requirements name.',
  invalid_network: 'The network is not a known Stellar network.',
  invalid_exact_stellar_payload_malformed:
    'payload.transaction is missing or is not a decodable transaction.',
  invalid_exact_stellar_payload_wrong_operation:
    'The transaction must have exactly one operation, which invokes a contract.',
  invalid_exact_stellar_payload_unsafe_tx_or_op_source:
    'An address of the facilitator is the source of the transaction or its operation.',
  invalid_exact_stellar_payload_wrong_asset: 'The invoked contract is not the asset of the requirements.',
  invalid_exact_stellar_payload_wrong_function_name:
    'The invoked function is not transfer with exactly three arguments.',
  invalid_exact_stellar_payload_facilitator_is_payer: 'An address of the facilitator is the payer.',
  invalid_exact_stellar_payload_wrong_recipient: 'The transfer does not go to payTo of the requirements.',
  invalid_exact_stellar_payload_wrong_amount: 'The transfer is not exactly the amount of the requirements.',
  invalid_exact_stellar_payload_simulation_failed:
    'The transfer does not succeed on the current ledger: its authorization may be forged, used or expired, or the balance too low.',
  invalid_exact_stellar_payload_fee_exceeds_maximum:
    'The network fee is above the ceiling of this facilitator.',
  invalid_exact_stellar_payload_event_not_transfer: 'The simulation shows an event other than a transfer.',
  invalid_exact_stellar_payload_event_missing_contract_id: 'A transfer event names no contract.',
  invalid_exact_stellar_payload_event_wrong_asset:
    'A transfer event came from a contract other than the asset.',
  invalid_exact_stellar_payload_no_transfer_events: 'The simulation shows no transfer.',
  invalid_exact_stellar_payload_multiple_transfers: 'The simulation shows more than one transfer.',
  invalid_exact_stellar_payload_event_wrong_from: 'The simulated debit is not from the payer.',
  invalid_exact_stellar_payload_event_wrong_to: 'The simulated credit is not to payTo of the requirements.',
  invalid_exact_stellar_payload_event_wrong_amount:
    'The simulated transfer is not exactly the amount of the requirements.',
  invalid_exact_stellar_payload_no_auth_entries: 'The operation carries no authorization entry.',
  invalid_exact_stellar_payload_unsupported_credential_type:
    'An authorization entry has credentials other than address credentials.',
  invalid_exact_stellar_payload_facilitator_in_auth:
    'An address of the facilitator stands in an authorization entry.',
  invalid_exact_stellar_signature_expiration_too_far:
    'An authorization entry stays valid longer than maxTimeoutSeconds of the requirements allows.',
  invalid_exact_stellar_payload_has_subinvocations:
    'An authorization entry authorizes further calls beside the transfer.',
  invalid_exact_stellar_payload_missing_payer_signature:
    'The authorization entry of the payer is not signed.',
  invalid_exact_stellar_payload_unexpected_pending_signatures:
    'An authorization entry still awaits a signature.',
  unexpected_verify_error: 'The payment could not be verified; this says nothing about its validity.',
  verification_failed: 'The payment could not be verified again before its settlement.',
  settle_exact_stellar_signer_selection_failed: 'No submitter account was free to carry the settlement.',
  settle_exact_stellar_transaction_signing_failed: 'The settlement transaction could not be signed.',
  settle_exact_stellar_fee_bump_signing_failed: 'The fee-bump transaction could not be signed.',
  settle_exact_stellar_transaction_submission_failed:
    'The network rejected the settlement transaction; nothing reached the ledger.',
  settle_exact_stellar_transaction_failed: 'The settlement transaction did not succeed on the ledger.',
  unexpected_settle_error: 'The payment could not be settled because of an unexpected error.',
  svc_malformed_request_body: 'The request body is not a JSON object that the contract describes.',
  svc_missing_payment_payload: 'paymentPayload must be an object.',
  svc_missing_payment_requirements: 'paymentRequirements must be an object.',
  svc_unsupported_x402_version: 'paymentPayload.x402Version must be 2, the only version served.',
  svc_unsupported_kind: 'The scheme and network of the requirements are not served; see GET /supported.',
  svc_unknown_route: 'There is no such route, or not with this method.',
  svc_invalid_query_parameter: 'A query parameter is repeated, or cannot be read.',
  svc_missing_search_query: 'query is missing or blank; say what you look for in plain words.',
  svc_invalid_search_cursor:
    'The cursor was not issued for this query and these filters, or has expired; start again without it.',
  svc_invalid_signature: 'The recipient has not signed this message.',
  svc_expired_signature:
    'signedAt must be within the last 5 minutes by the clock of this service. Sign again.',
  svc_used_signature:
    'The service has already accepted a message that you signed at this time or later. Sign again.',
  svc_unknown_listing:
    'The recipient has no such listing here. Name resource, type and toolName as discovery shows them.',
  svc_policy_zero_amount: 'This facilitator settles no payments of zero.',
  svc_policy_self_payment: 'This facilitator settles no payments that go back to their payer.',
  svc_policy_failing_payer:
    'Too many settlements of this payer failed on the ledger within the last hour; try again later.',
  svc_policy_asset: 'This facilitator does not serve this asset.',
  svc_policy_recipient: 'This facilitator does not serve this recipient.',
  svc_policy_payer: 'This facilitator does not serve this payer.',
  svc_policy_amount_too_small: 'The amount is below the least that this facilitator serves for this asset.',
  svc_policy_amount_too_large:
    'The amount is above the greatest that this facilitator serves for this asset.',
  svc_policy_amount_below_fee: 'The amount is worth too little beside the network fee that it costs.',
  svc_policy_check_refused: 'The operator of this facilitator refuses this payment.',
  svc_policy_check_unavailable: "The check of this facilitator's operator did not answer; try again later.",
  svc_unauthorized:
    'This service needs a key: ask its operator for one, and send "Authorization: Bearer <key>".',
  svc_rate_limited: 'You have reached a limit of this service; try again after Retry-After seconds.',
  svc_fee_budget_exhausted:
    'A budget for network fees is used up for today; nothing was sent. It is renewed at midnight UTC.',
  svc_fee_account_low:
    'The accounts that pay the network fees have too few lumens; nothing was sent. Tell the operator, and try again later.',
  svc_database_unavailable: 'The database of this facilitator does not answer; nothing was sent. Try again.',
  svc_invalid_idempotency_key:
    'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces, and be sent once.',
  svc_settlement_pending:
    'The settlement under this Idempotency-Key is still under way; send the same request again after Retry-After seconds.',
  svc_idempotency_key_reused:
    'This Idempotency-Key was used with another body; take a new random key for each delivery.',
  svc_payment_identifier_conflict:
    'Another payment to this recipient under the same payment-identifier has settled or is under way; nothing was sent.',
  svc_internal_error: 'The service failed. This says nothing about the payment; try again later.',
  svc_overloaded:
    'The service is overloaded and did not look at this request; try again after Retry-After seconds.',
};

/** Returns the text for a code. Throws for a refusal without a code, which no scheme may give. */
export function defaultMessage(code: Code | undefined): string {
  if (code === undefined) throw new Error('a refusal came without a code');
  return DEFAULT_MESSAGES[code];
}
