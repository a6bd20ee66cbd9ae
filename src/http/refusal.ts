import type { EnvelopeCode, OperationId, Refusal } from '../contract/index.ts';
import { errorBody } from '../handlers/errorBody.ts';
import { defaultMessage } from '../handlers/messages.ts';

/** An answer to send. Its body becomes JSON, unless it is `Encoded` already. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Says why the service itself refuses a request, and the status of the answer. */
export interface HttpRefusal extends Refusal<EnvelopeCode> {
  readonly status: 400 | 401 | 413 | 429 | 500 | 503;
  readonly headers?: Readonly<Record<string, string>>;
}

export function refuse(
  status: HttpRefusal['status'],
  code: EnvelopeCode,
  message = defaultMessage(code),
): HttpRefusal {
  return { status, code, message };
}

/** Refuses a request that nobody looked at, since there are more requests than can be handled. */
export function overloaded(): HttpRefusal {
  return refuse(503, 'svc_overloaded');
}

/** Refuses a body that cannot be read as a payment. The message says what is wrong with it. */
export function malformed(message: string): HttpRefusal {
  return refuse(400, 'svc_malformed_request_body', message);
}

export function tooLarge(limitBytes: number): HttpRefusal {
  return refuse(413, 'svc_malformed_request_body', `The request body is larger than ${limitBytes} bytes.`);
}

/** Renders a refusal in the shape of the endpoint that it comes from. */
export function renderRefusal(operationId: OperationId, refusal: HttpRefusal, network: string): Reply {
  const { headers } = refusal;
  return { ...inShapeOf(operationId, refusal, network), ...(headers && { headers }) };
}

function inShapeOf(operationId: OperationId, refusal: HttpRefusal, network: string): Reply {
  const { status, code, message } = refusal;
  switch (operationId) {
    case 'verifyPayment':
      return { status, body: { isValid: false, invalidReason: code, invalidMessage: message } };
    case 'settlePayment':
      return {
        status,
        body: { success: false, transaction: '', network, errorReason: code, errorMessage: message },
      };
    default:
      return { status, body: errorBody(refusal) };
  }
}

/** Answers 404 for a path or a method that is not served, and names the routes that are. */
export function unknownRoute(method: string, path: string, routes: readonly string[]): Reply {
  const message = `There is no ${method} ${path}. The routes are ${routes.join(', ')}.`;
  return { status: 404, body: errorBody({ code: 'svc_unknown_route', message }) };
}
