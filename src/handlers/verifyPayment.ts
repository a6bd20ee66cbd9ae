import type { Handlers, VerifyResponse } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';
import { unsupportedKind } from './kind.ts';
import { defaultMessage } from './messages.ts';

export function createVerifyPayment(scheme: Pick<Scheme, 'kind' | 'verify'>): Handlers['verifyPayment'] {
  return async ({ body: { paymentPayload, paymentRequirements } }) => {
    const invalidMessage = unsupportedKind(scheme.kind, paymentRequirements);
    if (invalidMessage !== null) {
      return { status: 200, body: { isValid: false, invalidReason: 'svc_unsupported_kind', invalidMessage } };
    }
    return { status: 200, body: withMessage(await scheme.verify({ paymentPayload, paymentRequirements })) };
  };
}

function withMessage(verdict: VerifyResponse): VerifyResponse {
  if (verdict.isValid || verdict.invalidMessage) return verdict;
  return { ...verdict, invalidMessage: defaultMessage(verdict.invalidReason) };
}
