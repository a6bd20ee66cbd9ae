import type { Overview } from '../contract/index.ts';

/** Keeps the numbers of listings of the last day, or since this process started. */
export interface Growth {
  sizes(): Overview['catalog']['growth'];
  close(): void;
}

const SAMPLE_EVERY_MS = 300_000;
const SAMPLES_KEPT = 288;

/** Counts the listings now, and again every five minutes. */
export function createGrowth(countListings: () => Promise<number | undefined>): Growth {
  const sizes: { at: string; listings: number }[] = [];
  async function sample(): Promise<void> {
    const listings = await countListings();
    if (listings !== undefined) sizes.push({ at: new Date().toISOString(), listings });
    if (sizes.length > SAMPLES_KEPT) sizes.shift();
  }
  void sample();
  const timer = setInterval(() => void sample(), SAMPLE_EVERY_MS).unref();
  return { sizes: () => sizes, close: () => clearInterval(timer) };
}
