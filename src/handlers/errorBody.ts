import type { ErrorCode, ErrorEnvelope } from '../contract/index.ts';
import { defaultMessage } from './messages.ts';

/** Returns the body with which the discovery endpoints refuse a request. */
export function errorBody(code: ErrorCode): ErrorEnvelope {
  return { error: { code, reason: defaultMessage(code) } };
}
