import type { Model } from '../meaning/index.ts';
import { wordsOf } from './words.ts';

/** A text and how much each of its words counts. */
export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

/** Returns the vector of a listing's fields. Depends on nothing but them, so every instance gets the same. */
export function embedFields(model: Model, fields: readonly WeightedText[]): Int8Array {
  return model.embed(
    fields.flatMap(({ text, weight }) =>
      model.tokensOf(text).map((token) => [token, Math.sqrt(weight) * model.priorOf(token)] as const),
    ),
  );
}

/** Returns the vector of a question, whose words count as `weightOf` says. */
export function embedQuestion(model: Model, text: string, weightOf: (word: string) => number): Int8Array {
  return model.embed(
    wordsOf(text).flatMap(({ whole }) =>
      model.tokensOf(whole).map((token) => [token, weightOf(whole) * model.priorOf(token)] as const),
    ),
  );
}

/** True if a word is one of the model's own, and not made of others. */
export function knows(model: Model, word: string): boolean {
  return model.tokensOf(word).length === 1;
}
