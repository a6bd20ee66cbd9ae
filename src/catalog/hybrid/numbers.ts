type Numbers = Uint8Array | Uint16Array | Uint32Array;

/** An array of numbers that grows. */
export interface GrowingNumbers<Data extends Numbers> {
  /** At least as long as the highest index that was set. */
  readonly data: Data;
  set(index: number, value: number): void;
}

/** Returns how much room to make for so many numbers: an eighth more, since there may be millions. */
export const roomFor = (length: number): number => Math.ceil(length * 1.125);

export function createNumbers<Data extends Numbers>(of: new (length: number) => Data): GrowingNumbers<Data> {
  let data = new of(1024);
  return {
    get data() {
      return data;
    },
    set(index, value) {
      if (index >= data.length) {
        const larger = new of(Math.max(index + 1, roomFor(data.length)));
        larger.set(data);
        data = larger;
      }
      data[index] = value;
    },
  };
}
