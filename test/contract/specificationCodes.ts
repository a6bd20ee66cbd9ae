/** The codes as the tables of the specification list them, typed in by hand: the contract is held to this copy. */
export const specificationCodes = {
  /** 7.2 */
  VerifyCode: `
    invalid_x402_version unsupported_scheme network_mismatch invalid_network
    invalid_exact_stellar_payload_malformed
    invalid_exact_stellar_payload_wrong_operation
    invalid_exact_stellar_payload_unsafe_tx_or_op_source
    invalid_exact_stellar_payload_wrong_asset
    invalid_exact_stellar_payload_wrong_function_name
    invalid_exact_stellar_payload_facilitator_is_payer
    invalid_exact_stellar_payload_wrong_recipient
    invalid_exact_stellar_payload_wrong_amount
    invalid_exact_stellar_payload_simulation_failed
    invalid_exact_stellar_payload_fee_exceeds_maximum
    invalid_exact_stellar_payload_event_not_transfer
    invalid_exact_stellar_payload_event_missing_contract_id
    invalid_exact_stellar_payload_event_wrong_asset
    invalid_exact_stellar_payload_no_transfer_events
    invalid_exact_stellar_payload_multiple_transfers
    invalid_exact_stellar_payload_event_wrong_from
    invalid_exact_stellar_payload_event_wrong_to
    invalid_exact_stellar_payload_event_wrong_amount
    invalid_exact_stellar_payload_no_auth_entries
    invalid_exact_stellar_payload_unsupported_credential_type
    invalid_exact_stellar_payload_facilitator_in_auth
    invalid_exact_stellar_signature_expiration_too_far
    invalid_exact_stellar_payload_has_subinvocations
    invalid_exact_stellar_payload_missing_payer_signature
    invalid_exact_stellar_payload_unexpected_pending_signatures
    unexpected_verify_error`,
  /** 7.3 */
  SettleCode: `
    verification_failed
    settle_exact_stellar_signer_selection_failed
    settle_exact_stellar_transaction_signing_failed
    settle_exact_stellar_fee_bump_signing_failed
    settle_exact_stellar_transaction_submission_failed
    settle_exact_stellar_transaction_failed
    unexpected_settle_error`,
  /** 7.4 */
  EnvelopeCode: `
    svc_malformed_request_body svc_missing_payment_payload svc_missing_payment_requirements
    svc_unsupported_x402_version svc_unsupported_kind svc_unknown_route svc_invalid_query_parameter
    svc_missing_search_query svc_invalid_search_cursor svc_internal_error`,
  /** 7.5 */
  CatalogCode: `
    bazaar_extension_not_object bazaar_extensions_too_large bazaar_spec_validation_failed
    bazaar_schema_validation_failed bazaar_schema_too_complex bazaar_resource_url_invalid
    bazaar_listing_owned_by_other_payee`,
};

/** What this service adds to the tables of the specification. */
const addedCodes: { readonly [Table in keyof typeof specificationCodes]?: readonly string[] } = {
  EnvelopeCode: [
    'svc_policy_zero_amount',
    'svc_policy_self_payment',
    'svc_policy_failing_payer',
    'svc_policy_asset',
    'svc_policy_recipient',
    'svc_policy_payer',
    'svc_policy_amount_too_small',
    'svc_policy_amount_too_large',
    'svc_policy_amount_below_fee',
    'svc_policy_check_refused',
    'svc_policy_check_unavailable',
    'svc_invalid_signature',
    'svc_expired_signature',
    'svc_used_signature',
    'svc_unknown_listing',
    'svc_unauthorized',
    'svc_rate_limited',
    'svc_fee_budget_exhausted',
    'svc_fee_account_low',
    'svc_database_unavailable',
    'svc_invalid_idempotency_key',
    'svc_settlement_pending',
    'svc_idempotency_key_reused',
    'svc_payment_identifier_conflict',
    'svc_overloaded',
  ],
  CatalogCode: ['bazaar_too_many_new_listings', 'bazaar_listing_blocked'],
};

/** The codes of one table of the specification, as a list. */
export function specifiedCodesOf(table: keyof typeof specificationCodes): string[] {
  return specificationCodes[table].trim().split(/\s+/);
}

/** The same, and those that this service adds. */
export function codesOf(table: keyof typeof specificationCodes): string[] {
  return [...specifiedCodesOf(table), ...(addedCodes[table] ?? [])];
}
