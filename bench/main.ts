/** `npm run bench -- verify | settle`: this service beside @x402/stellar's own facilitator, in one run. */
import { benchSettle } from './settle.ts';
import { benchVerify } from './verify.ts';

const measurements: Record<string, () => Promise<void>> = { verify: benchVerify, settle: benchSettle };
const name = process.argv[2] ?? '';
const measure = Object.hasOwn(measurements, name) ? measurements[name] : undefined;
if (measure === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(measurements).join(' | ')}`);
  process.exit(64);
}
await measure();
