/** The package's library: the service in a seller's own process. Its types stand here alone, and are shipped as they are. */
import { nodeProblem } from '../process/nodeProblem.ts';

/** The settings of the service by their names, such as `SUBMITTER_SECRET`; `process.env` will do. */
export type FacilitatorSettings = Readonly<Record<string, string | undefined>>;

/** A network as a CAIP-2 name, such as `stellar:testnet`. */
export type Network = `${string}:${string}`;

export interface VerifyResponse {
  isValid: boolean;
  invalidReason?: string;
  invalidMessage?: string;
  payer?: string;
  extra?: Record<string, unknown>;
}

export interface SettleResponse {
  success: boolean;
  errorReason?: string;
  errorMessage?: string;
  payer?: string;
  /** The hash of the transaction; empty if the payment did not settle. */
  transaction: string;
  network: Network;
  extensions?: Record<string, unknown>;
  /** What became of the listing, as the header `EXTENSION-RESPONSES` says it; not for the buyer. */
  extensionResponses?: Record<string, unknown>;
  extra?: Record<string, unknown>;
}

export interface SupportedResponse {
  kinds: { x402Version: number; scheme: string; network: Network; extra?: Record<string, unknown> }[];
  extensions: string[];
  signers: Record<string, string[]>;
}

/** A facilitator in this process. Stock x402 resource servers take it as their `FacilitatorClient`. */
export interface Facilitator {
  /** Decides whether a payment satisfies your terms now. A refusal is an answer; never throws. Refuses more than 64 at a time. */
  verify(paymentPayload: object, paymentRequirements: object): Promise<VerifyResponse>;
  /**
   * Puts a payment on the ledger; takes 80 seconds at the most. A refusal is an answer; never throws. Refuses
   * more than 5,000 at a time. With an `idempotencyKey` (1 to 255 visible ASCII characters), the same call gets the same answer for 24 hours, also from the
   * next process: take a new random one for each delivery.
   */
  settle(
    paymentPayload: object,
    paymentRequirements: object,
    options?: { idempotencyKey?: string },
  ): Promise<SettleResponse>;
  getSupported(): Promise<SupportedResponse>;
  /** Finishes what is in flight within a bounded time, and closes the journal and the catalog. */
  close(): Promise<void>;
}

/**
 * Opens the service without its ports. It writes its log to standard output. Throws an Error that names what is wrong with
 * Node's version, with the settings, with the data or with the nodes; it never repeats a secret.
 */
export async function createFacilitator(settings: FacilitatorSettings): Promise<Facilitator> {
  const problem = nodeProblem('start your program with "npx node <file>"');
  if (problem !== undefined) throw new Error(problem);
  // Loaded only here: an older Node has no node:sqlite, and would say no more than that.
  const { openInProcess } = await import('./open.ts');
  return openInProcess(settings);
}
