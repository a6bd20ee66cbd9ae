import type { ErrorObject } from 'ajv';
import { isPayment, type OperationId } from '../contract/index.ts';
import { malformed, refuse, type HttpRefusal } from './refusal.ts';

const SERVED_X402_VERSION = 2;

/**
 * Returns the refusal for the first condition that a request breaks, of those that have their own codes. The
 * contract's schema finds all other defects, as `svc_malformed_request_body`.
 */
export function envelopeRefusal(operationId: OperationId, body: unknown): HttpRefusal | undefined {
  if (!isObject(body)) return malformed('The request body must be a JSON object.');
  return isPayment(operationId) ? paymentRefusal(body) : undefined;
}

function paymentRefusal(body: Readonly<Record<string, unknown>>): HttpRefusal | undefined {
  const { paymentPayload, paymentRequirements } = body;
  if (!isObject(paymentPayload)) return refuse(400, 'svc_missing_payment_payload');
  if (!isObject(paymentRequirements)) return refuse(400, 'svc_missing_payment_requirements');
  if (paymentPayload['x402Version'] !== SERVED_X402_VERSION)
    return refuse(400, 'svc_unsupported_x402_version');
  return undefined;
}

/** Returns a refusal that names the field and the rule of the contract that it breaks. */
export function bodyRefusal({ instancePath, params, message }: ErrorObject): HttpRefusal {
  const path = instancePath.split('/').slice(2);
  const missing: unknown = params['missingProperty'];
  if (typeof missing === 'string') return malformed(`${[...path, missing].join('.')} is missing.`);
  return malformed(`${path.join('.')} ${message ?? 'is not allowed'}.`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
