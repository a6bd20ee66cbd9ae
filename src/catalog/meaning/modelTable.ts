import type { Rows } from './embed.ts';
import { MODEL_LIMITS } from './limits.ts';
import { readTensors, type Tensor, type TensorFile } from './tensors.ts';
import { UnusableModel } from './unusable.ts';

type Numbers = ArrayLike<number | bigint>;

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Numbers>> = {
  F64: ({ buffer }) => new Float64Array(buffer),
  F32: ({ buffer }) => new Float32Array(buffer),
  F16: ({ buffer }) => new Float16Array(buffer),
  I64: ({ buffer }) => new BigInt64Array(buffer),
  I32: ({ buffer }) => new Int32Array(buffer),
};
const MOST = 127;

/**
 * Reads the table of a Model2Vec model: `embeddings`, or `embedding.weight` as sentence-transformers calls it, with a
 * row for each token. In newer models several tokens may share a row: `mapping` has the row of each token, and `weights`
 * what the row is multiplied with. Each row is kept as bytes and a scale.
 */
export function readModelTable(file: TensorFile): Rows & { readonly tokenCount: number } {
  const tensors = readTensors(file);
  const embeddings = tensors.get('embeddings') ?? tensors.get('embedding.weight');
  if (embeddings === undefined) throw new UnusableModel(file.name, 'has no array "embeddings"');
  const [rows, dimensions] = shapeOf(file, embeddings);
  const mapping = listOf(file, tensors.get('mapping'), 'mapping', /^I/);
  const weights = listOf(file, tensors.get('weights'), 'weights', /^F/);
  const tokenCount = mapping?.length ?? rows;
  if (weights !== undefined && weights.length !== tokenCount)
    throw new UnusableModel(file.name, 'has another number of "weights" than of tokens');
  if (mapping?.some((row) => row < 0 || row >= rows))
    throw new UnusableModel(file.name, 'has a "mapping" to rows that it does not have');
  const { values, scales } = quantized(file, embeddings, rows, dimensions);
  const rowOf = mapping && Uint32Array.from(mapping);
  const tokenScales = Float64Array.from(
    { length: tokenCount },
    (_, token) => scales[rowOf?.[token] ?? token]! * Math.max(0, weights?.[token] ?? 1),
  );
  return { tokenCount, dimensions: values.length / rows, values, rowOf, scales: relative(tokenScales) };
}

function shapeOf(file: TensorFile, { shape, dtype }: Tensor): [rows: number, dimensions: number] {
  const [rows = 0, dimensions = 0, ...others] = shape;
  if (!/^F(32|16)$/.test(dtype))
    throw new UnusableModel(file.name, `has "embeddings" of ${dtype}: F32 and F16 can be read`);
  if (others.length > 0 || rows < 1 || dimensions < 1)
    throw new UnusableModel(file.name, 'has "embeddings" that are no table');
  if (rows > MODEL_LIMITS.tokens || dimensions > MODEL_LIMITS.dimensions)
    throw new UnusableModel(
      file.name,
      `has more than ${MODEL_LIMITS.tokens} rows, or more than ${MODEL_LIMITS.dimensions} columns`,
    );
  return [rows, dimensions];
}

/** Reads an array with a number for each token, if there is one. */
function listOf(
  file: TensorFile,
  tensor: Tensor | undefined,
  name: string,
  types: RegExp,
): number[] | undefined {
  if (tensor === undefined) return undefined;
  const decode = types.test(tensor.dtype) ? DECODERS[tensor.dtype] : undefined;
  if (decode === undefined || tensor.shape.length !== 1 || tensor.shape[0]! > MODEL_LIMITS.tokens)
    throw new UnusableModel(file.name, `has "${name}" of an unknown type or shape`);
  const list = Array.from(decode(file.read(tensor.begin, tensor.length)), Number);
  if (!list.every(Number.isFinite)) throw new UnusableModel(file.name, `has "${name}" that are no numbers`);
  return list;
}

/** Reads the table in chunks, so that it is never in memory as a whole. The largest number of a row becomes 127. */
function quantized(
  file: TensorFile,
  { begin, length, dtype }: Tensor,
  rows: number,
  columns: number,
): { values: Int8Array; scales: Float64Array } {
  const dimensions = Math.min(columns, MODEL_LIMITS.storedDimensions);
  const values = new Int8Array(rows * dimensions);
  const scales = new Float64Array(rows);
  const rowBytes = length / rows;
  const atATime = Math.max(1, Math.floor(MODEL_LIMITS.chunkBytes / rowBytes));
  for (let first = 0; first < rows; first += atATime) {
    const count = Math.min(atATime, rows - first);
    const chunk = DECODERS[dtype]!(file.read(begin + first * rowBytes, count * rowBytes));
    for (let i = 0; i < count; i += 1) {
      const row = Array.prototype.slice.call(chunk, i * columns, i * columns + dimensions) as number[];
      if (!row.every(Number.isFinite))
        throw new UnusableModel(file.name, 'has "embeddings" that are no numbers');
      const most = row.reduce((sofar, value) => Math.max(sofar, Math.abs(value)), 0);
      scales[first + i] = most;
      if (most > 0)
        values.set(
          row.map((value) => Math.round((value / most) * MOST)),
          (first + i) * dimensions,
        );
    }
  }
  return { values, scales };
}

function relative(scales: Float64Array): Float32Array {
  const most = scales.reduce((sofar, scale) => Math.max(sofar, scale), 0);
  return Float32Array.from(scales, (scale) => (most === 0 ? 0 : scale / most));
}
