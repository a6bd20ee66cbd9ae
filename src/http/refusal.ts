import type { EnvelopeCode, ErrorCode, ErrorEnvelope, OperationId } from '../contract/index.ts';
import { defaultMessage } from '../handlers/messages.ts';

/** An answer to send. Its body becomes JSON, unless it is `Encoded` already. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Says why the service itself refuses a request. */
export interface Refusal {
  readonly status: 400 | 413 | 500 | 503;
  readonly code: EnvelopeCode;
  readonly message: string;
}

export function refusal(
  status: Refusal['status'],
  code: EnvelopeCode,
  message = defaultMessage(code),
): Refusal {
  return { status, code, message };
}

/** Refuses a request that nobody looked at, since more is asked than can be done. */
export function overloaded(): Refusal {
  return refusal(503, 'svc_overloaded');
}

/** Refuses a body that cannot be read as a payment. The message says what is wrong with it. */
export function malformed(message: string, status: 400 | 413 = 400): Refusal {
  return refusal(status, 'svc_malformed_request_body', message);
}

export function errorEnvelope(code: ErrorCode, reason: string): ErrorEnvelope {
  return { error: { code, reason } };
}

/** Renders a refusal in the shape of the endpoint that it comes from. */
export function renderRefusal(
  operationId: OperationId,
  { status, code, message }: Refusal,
  network: string,
): Reply {
  switch (operationId) {
    case 'verifyPayment':
      return { status, body: { isValid: false, invalidReason: code, invalidMessage: message } };
    case 'settlePayment':
      return {
        status,
        body: { success: false, transaction: '', network, errorReason: code, errorMessage: message },
      };
    default:
      return { status, body: { error: { code, reason: message } } };
  }
}

/** Answers 404 for a path or a method that is not served, and names the routes that are. */
export function unknownRoute(method: string, path: string, routes: readonly string[]): Reply {
  const reason = `There is no ${method} ${path}. Served are ${routes.join(', ')}.`;
  return { status: 404, body: errorEnvelope('svc_unknown_route', reason) };
}
