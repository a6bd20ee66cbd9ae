import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PackedArray {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

const bytesOf = ({ buffer }: { buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(buffer);

export const f32 = (shape: number[], numbers: number[]): PackedArray => ({
  ...{ dtype: 'F32', shape, bytes: bytesOf(Float32Array.from(numbers)) },
});
export const f16 = (shape: number[], numbers: number[]): PackedArray => ({
  ...{ dtype: 'F16', shape, bytes: bytesOf(Float16Array.from(numbers)) },
});
export const f64 = (numbers: number[]): PackedArray => ({
  ...{ dtype: 'F64', shape: [numbers.length], bytes: bytesOf(Float64Array.from(numbers)) },
});
export const i64 = (numbers: number[]): PackedArray => ({
  ...{ dtype: 'I64', shape: [numbers.length], bytes: bytesOf(BigInt64Array.from(numbers, BigInt)) },
});

/** Packs arrays as safetensors does. `change` may make the header lie. */
export function pack(
  arrays: Readonly<Record<string, PackedArray>>,
  change = (header: Record<string, object>): unknown => header,
): Buffer {
  const header: Record<string, object> = {};
  let end = 0;
  for (const [name, { dtype, shape, bytes }] of Object.entries(arrays))
    header[name] = { dtype, shape, data_offsets: [end, (end += bytes.length)] };
  const text = Buffer.from(JSON.stringify(change(header)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...Object.values(arrays).map(({ bytes }) => bytes)]);
}

/** Tokens of the model below; `##s` continues a word. */
export const TOKENS = ['[PAD]', '[UNK]', 'rain', 'weather', 'price', '##s'];

export const wordPiece = (): Record<string, unknown> => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: null,
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(TOKENS.map((token, id) => [token, id])),
  },
});

/** Vectors of four numbers; rain and weather are alike. */
export const EMBEDDINGS = [
  ...[0, 0, 0, 0],
  ...[1, 1, 1, 1],
  ...[2, 1, 0, 0],
  ...[2, 0.5, 0, 0],
  ...[0, 0, 3, 0],
  ...[0, 0, 0, 0.5],
];

export interface ModelFiles {
  readonly tensors?: Uint8Array;
  readonly tokenizer?: string;
}

/** Writes the folder of a model. */
export function modelFolder(files: ModelFiles = {}): string {
  const { tensors = pack({ embeddings: f32([6, 4], EMBEDDINGS) }), tokenizer = JSON.stringify(wordPiece()) } =
    files;
  const folder = mkdtempSync(join(tmpdir(), 'model-'));
  writeFileSync(join(folder, 'model.safetensors'), tensors);
  writeFileSync(join(folder, 'tokenizer.json'), tokenizer);
  return folder;
}
