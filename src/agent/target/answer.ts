import type { Failure } from '../codes.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Content } from './content.ts';

/** A target's answer to one request, with or without a payment. */
export type Answer =
  /** It wants to be paid. `required` is the content of its 402, undefined if that cannot be read. */
  | {
      readonly kind: 'paymentRequired';
      readonly required: JsonObject | undefined;
      readonly receipt: Json | undefined;
    }
  /** It did what was asked. */
  | {
      readonly kind: 'delivered';
      readonly status: number | undefined;
      readonly content: Content;
      readonly receipt: Json | undefined;
    }
  /** It did not do what was asked, or did not answer at all. */
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly status: number | undefined;
      readonly content: Content | undefined;
      readonly receipt: Json | undefined;
    };

/** Asks a target once or, with a payment, once more. */
export interface Exchange {
  /** Never rejects, and takes no longer than `withinMs`. The payment is an x402 PaymentPayload. */
  ask(withinMs: number, payment?: JsonObject): Promise<Answer>;
  close(): Promise<void>;
}
