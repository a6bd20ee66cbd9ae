import type { Handlers, Out, VerifyResponse } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';
import { checkKind } from './kind.ts';
import { defaultMessage } from './messages.ts';

export function createVerifyPayment(scheme: Pick<Scheme, 'kind' | 'verify'>): Handlers['verifyPayment'] {
  // Not async: a verification waits for the network, and must not hold on to the parsed body meanwhile.
  return ({ body: { paymentPayload, paymentRequirements }, caller }) => {
    const refusal = checkKind(scheme.kind, paymentRequirements);
    if (refusal !== undefined) {
      const { code: invalidReason, message: invalidMessage } = refusal;
      return { status: 200, body: { isValid: false, invalidReason, invalidMessage } };
    }
    const { name: sender, keyId } = caller;
    return answerTo(scheme.verify({ paymentPayload, paymentRequirements, sender, keyId }));
  };
}

async function answerTo(verifying: Promise<VerifyResponse>): Promise<Out<'verifyPayment'>> {
  return { status: 200, body: withMessage(await verifying) };
}

function withMessage(verdict: VerifyResponse): VerifyResponse {
  if (verdict.isValid || verdict.invalidMessage) return verdict;
  return { ...verdict, invalidMessage: defaultMessage(verdict.invalidReason) };
}
