import { UnusableModel } from './unusable.ts';

/** A file of named arrays. Its first 8 bytes say how long the header is, a JSON object that says where each array lies. */
export interface TensorFile {
  readonly name: string;
  readonly size: number;
  read(begin: number, length: number): Uint8Array;
}

export interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Where its bytes lie in the file. */
  readonly begin: number;
  readonly length: number;
}

const MAX_HEADER_BYTES = 1024 * 1024;
const LENGTH_BYTES = 8;
const ELEMENT_BYTES: ReadonlyMap<unknown, number> = new Map([
  ...(['F64', 'I64', 'U64'] as const).map((type) => [type, 8] as const),
  ...(['F32', 'I32', 'U32'] as const).map((type) => [type, 4] as const),
  ...(['F16', 'BF16', 'I16', 'U16'] as const).map((type) => [type, 2] as const),
  ...(['I8', 'U8', 'BOOL'] as const).map((type) => [type, 1] as const),
]);

/** Returns where the arrays of a file lie. Throws {@link UnusableModel} if its header does not fit the file. */
export function readTensors(file: TensorFile): ReadonlyMap<string, Tensor> {
  if (file.size < LENGTH_BYTES) throw new UnusableModel(file.name, 'is cut off');
  const headerBytes = Number(Buffer.from(file.read(0, LENGTH_BYTES)).readBigUInt64LE());
  if (headerBytes > MAX_HEADER_BYTES) throw new UnusableModel(file.name, 'is not in the format safetensors');
  const start = LENGTH_BYTES + headerBytes;
  if (start > file.size) throw new UnusableModel(file.name, 'is cut off');
  const header = parse(file, headerBytes);
  const entries = Object.entries(header).filter(([name]) => name !== '__metadata__');
  return new Map(entries.map(([name, entry]) => [name, tensorOf(file, start, name, entry)]));
}

function parse(file: TensorFile, headerBytes: number): object {
  const bytes = file.read(LENGTH_BYTES, headerBytes);
  try {
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof header === 'object' && header !== null) return header;
  } catch {
    // It is told below.
  }
  throw new UnusableModel(file.name, 'is not in the format safetensors: its header is not a JSON object');
}

function tensorOf(file: TensorFile, start: number, name: string, entry: unknown): Tensor {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
  const elementBytes = ELEMENT_BYTES.get(dtype);
  if (elementBytes === undefined || !isNumbers(shape) || !isNumbers(offsets) || offsets.length !== 2)
    throw new UnusableModel(file.name, `describes the array ${JSON.stringify(name)} in no known way`);
  const [begin, end] = offsets as [number, number];
  const length = shape.reduce((product, size) => product * size, elementBytes);
  if (end - begin !== length)
    throw new UnusableModel(
      file.name,
      `gives the array ${JSON.stringify(name)} another size than its shape has`,
    );
  if (start + end > file.size) throw new UnusableModel(file.name, 'is cut off');
  return { dtype: dtype as string, shape, begin: start + begin, length };
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0);
