import type { TensorFile } from './tensors.ts';
import { UnusableModel } from './unusable.ts';

const KINDS: readonly unknown[] = ['WordPiece', 'WordLevel', 'Unigram', 'BPE'];

interface TokenizerJson {
  readonly model?: Partial<Record<'type' | 'vocab' | 'unk_token' | 'unk_id', unknown>> | null;
  readonly added_tokens?: unknown;
}

type Added = { readonly id?: unknown } | null;

/** What is used of the library, whose own types cannot be resolved from here. */
interface Library {
  readonly Tokenizer: new (
    tokenizer: object,
    config: object,
  ) => {
    token_to_id(token: string): number | undefined;
    encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] };
  };
}

/** Reads a tokenizer in the format of Hugging Face. Returns what turns a text into tokens that are below `tokenCount`. */
export async function readTokens(file: TensorFile, tokenCount: number): Promise<(text: string) => number[]> {
  const tokenizer = parse(file);
  const { model, added_tokens: added } = tokenizer;
  if (!KINDS.includes(model?.type))
    throw new UnusableModel(file.name, `has no model of a known type: ${KINDS.join(', ')}`);
  const ids = [...idsOf(model?.vocab), ...(Array.isArray(added) ? added : []).map((one: Added) => one?.id)];
  if (ids.length === 0) throw new UnusableModel(file.name, 'has no vocabulary');
  if (!ids.every((id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < tokenCount))
    throw new UnusableModel(file.name, 'has tokens that model.safetensors has no vector for');
  const { Tokenizer } = (await import('@huggingface/tokenizers')) as unknown as Library;
  try {
    const read = new Tokenizer(tokenizer, {});
    const unknown = typeof model?.unk_token === 'string' ? read.token_to_id(model.unk_token) : model?.unk_id;
    return (text) => read.encode(text, { add_special_tokens: false }).ids.filter((id) => id !== unknown);
  } catch (error) {
    throw new UnusableModel(file.name, `is no tokenizer that can be read: ${(error as Error).message}`);
  }
}

/** A vocabulary is a list of tokens with their scores, or an object with the number of each token. */
function idsOf(vocab: unknown): unknown[] {
  if (Array.isArray(vocab)) return [...vocab.keys()];
  return Object.values(vocab ?? {});
}

function parse(file: TensorFile): TokenizerJson {
  try {
    const tokenizer: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(file.read(0, file.size)),
    );
    if (typeof tokenizer === 'object' && tokenizer !== null) return tokenizer;
  } catch (error) {
    if (error instanceof UnusableModel) throw error;
  }
  throw new UnusableModel(file.name, 'is not a JSON object');
}
