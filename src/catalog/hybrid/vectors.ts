import { createVectorTable, SCAN_ROWS } from '../meaning/index.ts';
import { roomFor } from './numbers.ts';

/** A table of vectors, one for each slot. */
export interface Vectors {
  add(vector: Int8Array): void;
  /** Returns the product of a vector with that of each slot. Valid until the next call. */
  products(vector: Int8Array): Int32Array;
}

export function createVectors(dimensions: number): Vectors {
  const table = createVectorTable(dimensions);
  let products = new Int32Array(SCAN_ROWS);
  let slots = 0;
  return {
    add(vector) {
      table.put(slots, vector);
      slots += 1;
    },
    products(vector) {
      if (products.length < slots) products = new Int32Array(roomFor(slots));
      for (let slot = 0; slot < slots; slot += SCAN_ROWS)
        products.set(table.scan(vector, slot, Math.min(SCAN_ROWS, slots - slot)), slot);
      return products;
    },
  };
}
