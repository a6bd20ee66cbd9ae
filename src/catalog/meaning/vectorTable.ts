import { readFileSync } from 'node:fs';

/** Vectors of one size in memory that threads can share, and a fast search through all of them. */
export interface VectorTable {
  /** Another thread opens the same table with it. */
  readonly memory: SharedMemory;
  /** The number of vectors that there is room for. */
  readonly capacity: number;
  /** Writes a vector, and makes room for it first. Another thread that scans it just then may see some of its numbers. */
  put(row: number, vector: Int8Array): void;
  /**
   * Returns the products of the query with `count` vectors from `row` on, at most {@link SCAN_ROWS}. If `members` is
   * given, a vector whose bit is not set gets {@link NO_MEMBER}; bit 0 of the first byte is that of the first vector.
   * The next scan overwrites what it returned.
   */
  scan(query: Int8Array, row: number, count: number, members?: Uint8Array): Int32Array;
}

export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

/** TypeScript declares this only together with the browser's types. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number; shared: true }) => SharedMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: unknown };
};

type Scan = (
  vectors: number,
  count: number,
  stride: number,
  query: number,
  members: number,
  products: number,
) => void;

/** The vectors of a scan. Their products fit into a processor's nearest cache. */
export const SCAN_ROWS = 8_192;
/** Given instead of a product. */
export const NO_MEMBER = -(2 ** 31);
/** The threads that may scan a table at the same time. */
export const MAX_SCANNERS = 8;

const PAGE_BYTES = 64 * 1024;
const MAX_PAGES = 65_536;
/** The kernel reads 16 numbers at a time. */
const LANES = 16;
/** Each thread has the first pages for itself: the query, the members, and half a page for the products. */
const MEMBERS_AT = 1024;
const PRODUCTS_AT = PAGE_BYTES / 2;
/** The table grows by this at least, so that it seldom does. */
const GROWTH_PAGES = 16;

/**
 * Opens a new table, or one that another thread has opened. Each thread that scans it needs a number of its own, below
 * {@link MAX_SCANNERS}. Only one thread may write.
 */
export function openVectorTable(dimensions: number, thread: number, memory = newMemory()): VectorTable {
  const kernel = new WebAssembly.Module(readFileSync(new URL('./scan.wasm', import.meta.url)));
  const { scan } = new WebAssembly.Instance(kernel, { table: { memory } }).exports as { scan: Scan };
  const stride = Math.ceil(dimensions / LANES) * LANES;
  const rowsAt = MAX_SCANNERS * PAGE_BYTES;
  const own = thread * PAGE_BYTES;
  const query = new Int8Array(memory.buffer, own, stride);
  const members = new Uint8Array(memory.buffer, own + MEMBERS_AT, SCAN_ROWS / 8);
  const products = new Int32Array(memory.buffer, own + PRODUCTS_AT, SCAN_ROWS);
  const capacity = (): number => Math.floor((memory.buffer.byteLength - rowsAt) / stride);

  return {
    memory,
    get capacity() {
      return capacity();
    },
    put(row, vector) {
      const missing = rowsAt + (row + 1) * stride - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.max(GROWTH_PAGES, Math.ceil(missing / PAGE_BYTES)));
      new Int8Array(memory.buffer, rowsAt + row * stride, dimensions).set(vector);
    },
    scan(vector, row, count, ofMembers) {
      if (count > SCAN_ROWS || row + count > capacity()) throw new RangeError('the table has no such rows');
      query.set(vector);
      if (ofMembers === undefined) members.fill(0xff);
      else members.set(ofMembers);
      scan(rowsAt + row * stride, count, stride, own, own + MEMBERS_AT, own + PRODUCTS_AT);
      return products.subarray(0, count);
    },
  };
}

function newMemory(): SharedMemory {
  return new WebAssembly.Memory({ initial: MAX_SCANNERS, maximum: MAX_PAGES, shared: true });
}
