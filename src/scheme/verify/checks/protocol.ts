import { isKnownNetwork } from '../../../stellar/networks.ts';
import type { SchemeRequest } from '../../payment.ts';
import { refuse, type Refusal } from '../../refusal.ts';

/** Checks the envelope of the payment: version, scheme and network. */
export function checkProtocol(request: SchemeRequest): Refusal | undefined {
  return checkVersion(request) ?? checkScheme(request) ?? checkSameNetwork(request) ?? checkNetwork(request);
}

function checkVersion({ paymentPayload }: SchemeRequest): Refusal | undefined {
  if (paymentPayload.x402Version === 2) return undefined;
  return refuse('invalid_x402_version', 'paymentPayload.x402Version must be 2');
}

function checkScheme({ paymentPayload, paymentRequirements }: SchemeRequest): Refusal | undefined {
  if (paymentPayload.accepted?.scheme === 'exact' && paymentRequirements.scheme === 'exact') return undefined;
  return refuse(
    'unsupported_scheme',
    'paymentPayload.accepted.scheme and paymentRequirements.scheme must both be exact',
  );
}

function checkSameNetwork({ paymentPayload, paymentRequirements }: SchemeRequest): Refusal | undefined {
  if (paymentPayload.accepted?.network === paymentRequirements.network) return undefined;
  return refuse(
    'network_mismatch',
    'paymentPayload.accepted.network differs from paymentRequirements.network',
  );
}

function checkNetwork({ paymentRequirements }: SchemeRequest): Refusal | undefined {
  if (isKnownNetwork(paymentRequirements.network)) return undefined;
  return refuse('invalid_network', 'paymentRequirements.network is not a known Stellar network');
}
