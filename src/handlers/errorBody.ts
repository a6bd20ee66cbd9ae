import type { ErrorCode, ErrorEnvelope } from '../contract/index.ts';
import { defaultMessage } from './messages.ts';

/** The body with which the discovery endpoints refuse. */
export function errorBody(code: ErrorCode): ErrorEnvelope {
  return { error: { code, reason: defaultMessage(code) } };
}
