/** A file of named arrays. Its first 8 bytes say how long the header is, a JSON object that says where each array lies. */
export interface TensorFile {
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

/** Says what is wrong with a file, as the end of a sentence that begins with its name. */
export class UnusableTensors extends Error {
  override name = 'UnusableTensors';
}

const MAX_HEADER_BYTES = 1024 * 1024;
const LENGTH_BYTES = 8;
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  ...{ F64: 8, I64: 8, U64: 8, F32: 4, I32: 4, U32: 4, F16: 2, BF16: 2, I16: 2, U16: 2 },
  ...{ I8: 1, U8: 1, BOOL: 1 },
};

/** Returns where the arrays of a file lie. Throws {@link UnusableTensors} if its header does not fit the file. */
export function readTensors(file: TensorFile): ReadonlyMap<string, Tensor> {
  if (file.size < LENGTH_BYTES) throw new UnusableTensors('is cut off');
  const headerBytes = Number(Buffer.from(file.read(0, LENGTH_BYTES)).readBigUInt64LE());
  if (headerBytes > MAX_HEADER_BYTES) throw new UnusableTensors('is not in the format safetensors');
  const start = LENGTH_BYTES + headerBytes;
  if (start > file.size) throw new UnusableTensors('is cut off');
  const header = parse(file.read(LENGTH_BYTES, headerBytes));
  const entries = Object.entries(header).filter(([name]) => name !== '__metadata__');
  return new Map(entries.map(([name, entry]) => [name, tensorOf(name, entry, start, file.size)]));
}

function parse(bytes: Uint8Array): object {
  try {
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof header === 'object' && header !== null) return header;
  } catch {
    // It is told below.
  }
  throw new UnusableTensors('is not in the format safetensors: its header is not a JSON object');
}

function tensorOf(name: string, entry: unknown, start: number, fileSize: number): Tensor {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
  const elementBytes = typeof dtype === 'string' ? ELEMENT_BYTES[dtype] : undefined;
  if (elementBytes === undefined || !isNumbers(shape) || !isNumbers(offsets) || offsets.length !== 2)
    throw new UnusableTensors(`describes the array ${JSON.stringify(name)} in no known way`);
  const [begin, end] = offsets as [number, number];
  const length = shape.reduce((product, size) => product * size, elementBytes);
  if (end - begin !== length)
    throw new UnusableTensors(`gives the array ${JSON.stringify(name)} another size than its shape has`);
  if (start + end > fileSize) throw new UnusableTensors('is cut off');
  return { dtype: dtype as string, shape, begin: start + begin, length };
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0);
