import type { ErrorCode, ErrorEnvelope } from '../contract/index.ts';
import { defaultMessage } from './messages.ts';

/** What the discovery endpoints answer where they refuse. */
export function errorBody(code: ErrorCode): ErrorEnvelope {
  return { error: { code, reason: defaultMessage(code) } };
}
