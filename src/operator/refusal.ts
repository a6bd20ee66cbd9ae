import type { OperatorErrorCode, OperatorRefusal } from '../contract/index.ts';

/** The status of each code. */
export const STATUS_OF: Readonly<Record<OperatorErrorCode, number>> = {
  op_unauthorized: 401,
  op_forbidden: 403,
  op_invalid_request: 400,
  op_not_found: 404,
  op_conflict: 409,
  op_overloaded: 503,
  op_store_unavailable: 503,
  op_internal_error: 500,
};

export const refuse = (code: OperatorErrorCode, message: string): OperatorRefusal => ({ code, message });

export const UNKNOWN_CURSOR = refuse('op_invalid_request', 'cursor must be the next of an earlier page.');
