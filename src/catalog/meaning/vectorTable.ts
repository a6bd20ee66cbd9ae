import { readFileSync } from 'node:fs';

/** Vectors of one size in memory, and a fast search through all of them. */
export interface VectorTable {
  /** The number of vectors that there is room for. */
  readonly capacity: number;
  /** Writes a vector, and makes room for it first. */
  put(row: number, vector: Int8Array): void;
  /**
   * Returns the products of the query with `count` vectors from `row` on, at most {@link SCAN_ROWS}. The next scan
   * overwrites what it returned.
   */
  scan(query: Int8Array, row: number, count: number): Int32Array;
}

interface Memory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

/** TypeScript declares this only together with the browser's types. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number; shared: true }) => Memory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: unknown };
};

type Scan = (vectors: number, count: number, stride: number, query: number, products: number) => void;

/** The vectors of a scan. Their products fit into a processor's nearest cache. */
export const SCAN_ROWS = 8_192;

const PAGE_BYTES = 64 * 1024;
const MAX_PAGES = 65_536;
/** The kernel reads 16 numbers at a time. */
const LANES = 16;
/** The first page holds the query, and half of it the products. */
const PRODUCTS_AT = PAGE_BYTES / 2;
/** The table grows by this at least, so that it seldom does. */
const GROWTH_PAGES = 16;

export function createVectorTable(dimensions: number): VectorTable {
  // No other thread has it. But what is shared stays where it is when it grows, and so do the arrays below.
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES, shared: true });
  const kernel = new WebAssembly.Module(readFileSync(new URL('./scan.wasm', import.meta.url)));
  const { scan } = new WebAssembly.Instance(kernel, { table: { memory } }).exports as { scan: Scan };
  const stride = Math.ceil(dimensions / LANES) * LANES;
  const query = new Int8Array(memory.buffer, 0, stride);
  const products = new Int32Array(memory.buffer, PRODUCTS_AT, SCAN_ROWS);
  const capacity = (): number => Math.floor((memory.buffer.byteLength - PAGE_BYTES) / stride);

  return {
    get capacity() {
      return capacity();
    },
    put(row, vector) {
      const missing = PAGE_BYTES + (row + 1) * stride - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.max(GROWTH_PAGES, Math.ceil(missing / PAGE_BYTES)));
      new Int8Array(memory.buffer, PAGE_BYTES + row * stride, dimensions).set(vector);
    },
    scan(vector, row, count) {
      if (count > SCAN_ROWS || row + count > capacity()) throw new RangeError('the table has no such rows');
      query.set(vector);
      scan(PAGE_BYTES + row * stride, count, stride, 0, PRODUCTS_AT);
      return products.subarray(0, count);
    },
  };
}
