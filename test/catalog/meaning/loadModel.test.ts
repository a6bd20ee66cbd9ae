import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadModel, UnusableModel, type Model } from '../../../src/catalog/meaning/index.ts';
import { similarity } from './similarity.ts';
import {
  EMBEDDINGS,
  f16,
  f32,
  f64,
  i64,
  modelFolder,
  pack,
  wordPiece,
  type ModelFiles,
} from './modelFolder.ts';

const load = (files: ModelFiles = {}): Promise<Model> => loadModel({ folder: modelFolder(files) });
const vectorOf = (model: Model, text: string): Int8Array =>
  model.embed(model.tokensOf(text).map((token) => [token, 1]));

describe('a Model2Vec model of the operator', () => {
  test('takes texts apart as its tokenizer says, without what it does not know', async () => {
    const model = await load();
    expect(model.tokensOf('Weather: RAINS, snow & prices')).toEqual([3, 2, 5, 4, 5]);
    expect(model).toMatchObject({ dimensions: 4, tokenCount: 6 });
  });

  test('gives texts the direction of the sum of their rows', async () => {
    const model = await load();
    expect([...vectorOf(model, 'rain price')]).toEqual([68, 34, 102, 0]);
    expect(similarity(vectorOf(model, 'rain'), vectorOf(model, 'weather'))).toBeGreaterThan(0.9);
    expect(similarity(vectorOf(model, 'rain'), vectorOf(model, 'price'))).toBe(0);
  });

  test('adds exactly, so that the order of tokens never matters', async () => {
    const model = await load({ tensors: pack({ embeddings: f32([6, 1], [1, 1, 1, 1, -1, 1]) }) });
    // As fractions, 0.1 + 0.2 - 0.3 is not zero.
    const weights = new Map([
      [2, 0.1],
      [3, 0.2],
      [4, 0.3],
    ]);
    expect([...model.embed(weights)]).toEqual([0]);
    expect([...model.embed([...weights].toReversed())]).toEqual([0]);
  });

  test('may have numbers of 16 bits, and be named as sentence-transformers does', async () => {
    const usual = await load();
    const other = await load({ tensors: pack({ 'embedding.weight': f16([6, 4], EMBEDDINGS) }) });
    expect(vectorOf(other, 'rain price')).toEqual(vectorOf(usual, 'rain price'));
    expect(other.name).not.toBe(usual.name);
    expect((await load()).name).toBe(usual.name);
  });

  test('may have rows that tokens share, with weights', async () => {
    const embeddings = f32([2, 4], [1, 0, 0, 0, 0, 0, 2, 0]);
    const tensors = pack({ embeddings, mapping: i64([0, 0, 0, 0, 1, 1]), weights: f64([1, 1, 2, 1, 1, 1]) });
    const model = await load({ tensors });
    expect(vectorOf(model, 'rain')).toEqual(vectorOf(model, 'weather'));
    const half = Math.round(127 / Math.SQRT2);
    expect([...vectorOf(model, 'rain price')]).toEqual([half, 0, half, 0]);
  });

  test('keeps the first 256 numbers of a row', async () => {
    const row = Array.from({ length: 512 }, (_, i) => (i === 0 || i > 255 ? 1 : 0));
    const model = await load({
      tensors: pack({ embeddings: f32([6, 512], Array(6).fill(row).flat() as number[]) }),
    });
    expect(model.dimensions).toBe(256);
    expect([...vectorOf(model, 'rain')]).toEqual([127, ...Array<number>(255).fill(0)]);
  });

  test.each(['WordLevel', 'Unigram', 'BPE'])('may have a tokenizer of the kind %s', async (type) => {
    const names = ['<unk>', 'rain', 'price'];
    const vocab =
      type === 'Unigram'
        ? names.map((name) => [name, -1])
        : Object.fromEntries(names.map((name, id) => [name, id]));
    const tokenizer = {
      ...wordPiece(),
      ...{ pre_tokenizer: { type: 'Whitespace' }, decoder: null },
      model: {
        ...{ type, vocab, unk_token: '<unk>', unk_id: 0 },
        ...(type === 'BPE' && {
          vocab: { ...vocab, r: 3, a: 4, i: 5, n: 6, ra: 7, in: 8 },
          merges: ['r a', 'i n', 'ra in'],
        }),
      },
    };
    const tensors = pack({ embeddings: f32([9, 1], Array<number>(9).fill(1)) });
    const model = await load({ tensors, tokenizer: JSON.stringify(tokenizer) });
    expect(model.tokensOf('Rain')).toEqual([1]);
  });

  const good = { embeddings: f32([6, 4], EMBEDDINGS) };
  const entry = (changes: object) => (header: Record<string, object>) => ({
    embeddings: { ...header.embeddings, ...changes },
  });
  const huge = Buffer.alloc(16, 0xff);
  const cases: [defect: string, tensors: Uint8Array | undefined, message: RegExp][] = [
    ['is missing', undefined, /^model.safetensors cannot be read \(ENOENT\)$/],
    ['is empty', Buffer.alloc(0), /^model.safetensors is cut off$/],
    ['ends in its header', pack(good).subarray(0, 20), /^model.safetensors is cut off$/],
    ['ends in its numbers', pack(good).subarray(0, -1), /^model.safetensors is cut off$/],
    ['is of another format', huge, /^model.safetensors is not in the format safetensors$/],
    [
      'has a header that is no JSON',
      Buffer.from('\x05\0\0\0\0\0\0\0{nope'),
      /its header is not a JSON object$/,
    ],
    ['has a header that is a list', pack(good, () => [1]), /describes the array "0" in no known way$/],
    ['has an array that is null', pack(good, () => ({ embeddings: null })), /in no known way$/],
    [
      'has offsets beyond its end',
      pack(good, entry({ shape: [60, 4], data_offsets: [0, 960] })),
      /is cut off$/,
    ],
    [
      'has an array beyond its end that nothing needs',
      pack(good, (header) => ({ ...header, extra: { dtype: 'U8', shape: [999], data_offsets: [0, 999] } })),
      /is cut off$/,
    ],
    ['has offsets before its start', pack(good, entry({ data_offsets: [-96, 0] })), /in no known way$/],
    [
      'has offsets in the wrong order',
      pack(good, entry({ data_offsets: [96, 0] })),
      /another size than its shape has$/,
    ],
    [
      'has another size than its shape',
      pack(good, entry({ shape: [7, 4] })),
      /another size than its shape has$/,
    ],
    [
      'has sizes that overflow',
      pack(good, entry({ shape: [2 ** 52, 2 ** 52] })),
      /another size than its shape has$/,
    ],
    ['has no embeddings', pack({ other: f32([1], [1]) }), /has no array "embeddings"$/],
    [
      'has a list for a table',
      pack({ embeddings: f32([24], EMBEDDINGS) }),
      /"embeddings" that are no table$/,
    ],
    ['has an empty table', pack({ embeddings: f32([0, 4], []) }), /"embeddings" that are no table$/],
    [
      'has too wide a table',
      pack({ embeddings: f32([1, 4_097], Array(4_097).fill(1)) }),
      /more than 4096 columns$/,
    ],
    ['has numbers of another type', pack(good, entry({ dtype: 'I32' })), /of I32: F32 and F16 can be read$/],
    ['has numbers of no type', pack(good, entry({ dtype: 'constructor' })), /in no known way$/],
    [
      'has NaN',
      pack({ embeddings: f32([6, 4], EMBEDDINGS.with(9, NaN)) }),
      /"embeddings" that are no numbers$/,
    ],
    [
      'has infinite numbers',
      pack({ embeddings: f16([6, 4], EMBEDDINGS.with(9, 1e9)) }),
      /that are no numbers$/,
    ],
    [
      'has fewer rows than tokens',
      pack({ embeddings: f32([5, 4], EMBEDDINGS.slice(4)) }),
      /^tokenizer.json has tokens/,
    ],
    [
      'maps to rows that are not there',
      pack({ ...good, mapping: i64([0, 1, 2, 3, 4, 6]) }),
      /"mapping" to rows/,
    ],
    [
      'maps to rows before the first',
      pack({ ...good, mapping: i64([0, 1, 2, 3, 4, -1]) }),
      /"mapping" to rows/,
    ],
    ['has weights for other tokens', pack({ ...good, weights: f64([1, 2]) }), /another number of "weights"/],
    [
      'has weights that are NaN',
      pack({ ...good, weights: f64([1, 1, 1, 1, 1, NaN]) }),
      /"weights" that are no numbers$/,
    ],
    [
      'has a table of weights',
      pack({ ...good, weights: f32([2, 3], [1, 1, 1, 1, 1, 1]) }),
      /"weights" of an unknown/,
    ],
  ];

  test.each(cases)('is refused if model.safetensors %s', async (_defect, tensors, message) => {
    const folder = modelFolder(tensors && { tensors });
    if (tensors === undefined) rmSync(join(folder, 'model.safetensors'));
    const failure: unknown = await loadModel({ folder }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnusableModel);
    expect((failure as Error).message).toMatch(message);
  });

  const withModel = (model: unknown): string => JSON.stringify({ ...wordPiece(), model });
  test.each([
    ['is no JSON', '{', /^tokenizer.json is not a JSON object$/],
    ['is null', 'null', /^tokenizer.json is not a JSON object$/],
    ['has no model', '{}', /no model of a known type: WordPiece, WordLevel, Unigram, BPE$/],
    ['has a model of another kind', withModel({ type: 'Magic', vocab: {} }), /no model of a known type/],
    ['has no words', withModel({ type: 'WordPiece', unk_token: '[UNK]', vocab: {} }), /^tokenizer.json /],
    [
      'has no vocabulary',
      withModel({ type: 'WordPiece', unk_token: '[UNK]' }),
      /^tokenizer.json has no vocabulary$/,
    ],
    [
      'normalizes in an unknown way',
      JSON.stringify({ ...wordPiece(), normalizer: { type: 'Magic' } }),
      /^tokenizer.json is no tokenizer that can be read: /,
    ],
    [
      'has numbers that are none',
      withModel({ type: 'WordPiece', unk_token: '[UNK]', vocab: { '[UNK]': 0, rain: -1 } }),
      /^tokenizer.json has tokens that model.safetensors has no vector for$/,
    ],
  ])('is refused if tokenizer.json %s', async (_defect, tokenizer, message) => {
    const failure: unknown = await load({ tokenizer }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnusableModel);
    expect((failure as Error).message).toMatch(message);
  });

  test('is refused if a file of it is a folder', async () => {
    const folder = modelFolder();
    rmSync(join(folder, 'tokenizer.json'));
    mkdirSync(join(folder, 'tokenizer.json'));
    await expect(loadModel({ folder })).rejects.toThrow('tokenizer.json is not a regular file');
  });
});
