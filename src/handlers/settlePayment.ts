import type { Handlers, SettleResponse } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';
import { unsupportedKind } from './kind.ts';
import { defaultMessage } from './messages.ts';

export function createSettlePayment(scheme: Pick<Scheme, 'kind' | 'settle'>): Handlers['settlePayment'] {
  return async ({ body: { paymentPayload, paymentRequirements } }) => {
    const errorMessage = unsupportedKind(scheme.kind, paymentRequirements);
    if (errorMessage !== null) {
      const network = paymentRequirements.network || scheme.kind.network;
      const refusal = { errorReason: 'svc_unsupported_kind', errorMessage } as const;
      return { status: 200, body: { success: false, transaction: '', network, ...refusal } };
    }
    return { status: 200, body: withMessage(await scheme.settle({ paymentPayload, paymentRequirements })) };
  };
}

function withMessage(result: SettleResponse): SettleResponse {
  if (result.success || result.errorMessage) return result;
  return { ...result, errorMessage: defaultMessage(result.errorReason) };
}
