import { embed, type Rows } from './embed.ts';

/** Turns texts into vectors that lie close together if the texts mean about the same. Pure: same text, same bytes. */
export interface Model {
  /** Names the table and its version. Vectors of models with different names cannot be compared. */
  readonly name: string;
  /** Numbers of a vector, at most 256. */
  readonly dimensions: number;
  /** Tokens are numbers from 0 on, below this. */
  readonly tokenCount: number;
  /** Returns the tokens of a text in their order, each as often as it occurs. What the model does not know is left out. */
  tokensOf(text: string): number[];
  /** Returns how much a token says about a text, above 0 and at most 1, for a caller that knows nothing better. */
  priorOf(token: number): number;
  /**
   * Returns the direction of the weighted sum of the tokens' vectors, with length 127. The order of the tokens does not
   * matter. All numbers are zero if there is no token. Weights are at least 0, and below 2,048.
   */
  embed(weights: Iterable<readonly [token: number, weight: number]>): Int8Array;
}

type Parts = Pick<Model, 'name' | 'tokenCount' | 'tokensOf' | 'priorOf'> & Rows;

export function createModel({ name, tokenCount, tokensOf, priorOf, ...rows }: Parts): Model {
  const { dimensions } = rows;
  return { name, dimensions, tokenCount, tokensOf, priorOf, embed: (weights) => embed(rows, weights) };
}
