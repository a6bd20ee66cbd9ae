import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { createModel, type Model } from './model.ts';
import { readTensors } from './tensors.ts';
import { knownWords } from './words.ts';

/**
 * Vectors of GloVe, which are in the public domain (PDDL 1.0), the most frequent word first. `npm run vectors` makes the
 * file; the bundle puts it beside the code.
 */
const FILE = new URL('./glove.safetensors.zst', import.meta.url);
/** A new table gets a new name. */
const NAME = 'glove-1';

/** Texts are full of words as frequent as this, which therefore say little (Arora et al., "SIF", 2017). */
const COMMON_SHARE = 1e-3;
/** The share of a word in English texts is about one over its rank, divided by this. */
const ZIPF = 12;

/** Reads the table that the package ships. */
export function loadBuiltIn(): Model {
  const bytes = zstdDecompressSync(readFileSync(FILE));
  const tensors = readTensors({
    name: 'glove.safetensors',
    size: bytes.length,
    read: (begin, length) => bytes.subarray(begin, begin + length),
  });
  const [words, embeddings] = [tensors.get('words')!, tensors.get('embeddings')!];
  const list = bytes.toString('latin1', words.begin, words.begin + words.length).split('\n');
  const tokens = new Map(list.map((word, token) => [word, token]));
  return createModel({
    name: NAME,
    tokenCount: list.length,
    dimensions: embeddings.shape[1]!,
    values: new Int8Array(bytes.buffer, bytes.byteOffset + embeddings.begin, embeddings.length),
    tokensOf: (text) => knownWords(text, tokens),
    priorOf: (token) => COMMON_SHARE / (COMMON_SHARE + 1 / ((token + 1) * ZIPF)),
  });
}
