import { boundedText } from '../contract/index.ts';
import { LOGGED_TEXT_CHARS, NETWORK_LIMIT_CHARS } from './limits.ts';

/** The facts by which an operator knows a payment again, as the request has them. */
export interface PaymentFacts {
  readonly amount?: string | undefined;
  readonly asset?: string | undefined;
  readonly payTo?: string | undefined;
  /** The URL of what is sold. */
  readonly resource?: string | undefined;
}

/** The facts of a body that are kept after it is gone. All of them are short. */
export interface Requested {
  /** Undefined if it cannot be a network. A refusal of settle repeats it. */
  readonly network: string | undefined;
  readonly payment: PaymentFacts;
}

/** Reads what a body says of itself. Nothing in it need be as it should. */
export function requestedIn(body: unknown): Requested {
  const { paymentPayload, paymentRequirements } = membersOf(body);
  const { network, amount, asset, payTo } = membersOf(paymentRequirements);
  const { url } = membersOf(membersOf(paymentPayload)['resource']);
  return {
    network: typeof network === 'string' && network !== '' && isShort(network) ? network : undefined,
    payment: { amount: logged(amount), asset: logged(asset), payTo: logged(payTo), resource: logged(url) },
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Counts code points, as JSON Schema does. */
function isShort(network: string): boolean {
  return network.length <= 2 * NETWORK_LIMIT_CHARS && [...network].length <= NETWORK_LIMIT_CHARS;
}

/** Cuts a text for the log. */
function logged(value: unknown): string | undefined {
  return typeof value === 'string' ? boundedText(value, LOGGED_TEXT_CHARS) : undefined;
}
