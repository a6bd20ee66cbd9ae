import type { Failure } from '../codes.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Content } from './content.ts';

/** What a target answered to one request, with a payment or without. */
export type Answer =
  /** It wants to be paid. `required` is what its 402 says, undefined where that cannot be read. */
  | {
      readonly kind: 'paymentRequired';
      readonly required: JsonObject | undefined;
      readonly receipt: Json | undefined;
    }
  /** It did what was asked. */
  | {
      readonly kind: 'delivered';
      readonly status: number | null;
      readonly content: Content;
      readonly receipt: Json | undefined;
    }
  /** It did not, or did not answer at all. */
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly status: number | null;
      readonly content: Content | null;
      readonly receipt: Json | undefined;
    };

/** A target that is asked once or, with a payment, once more. */
export interface Exchange {
  /** Never rejects, and takes no longer. The payment is an x402 PaymentPayload. */
  ask(withinMs: number, payment?: JsonObject): Promise<Answer>;
  close(): Promise<void>;
}
