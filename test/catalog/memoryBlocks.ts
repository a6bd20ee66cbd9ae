import type { SettledPayment } from '../../src/catalog/index.ts';
import { costly, infoFor } from './declaration/schema/hostile.ts';
import { settledPayment } from './settledPayments.ts';

/** Of most blocks; the rest is small beside it. */
export const BLOCK_CHARACTERS = 50_000;
/** Blocks between two whose schema takes long. */
const COSTLY_EVERY = 50;
const LISTINGS = 2_000;

/** One of many different listings and hostile blocks. */
export function settledBlock(index: number): SettledPayment {
  const description = `words${index % 500} of${index % 7} listing ${'y'.repeat(200)}`;
  const settled = settledPayment({ key: `key${index % LISTINGS}`, payTo: 'GALICE', description });
  return { ...settled, extensions: echoed(index) };
}

/** Never the same twice. */
function echoed(index: number): object {
  const padding = `${index}`.padEnd(BLOCK_CHARACTERS, 'x');
  const info = { input: { type: 'http', method: 'GET', queryParams: { [`parameter${index}`]: padding } } };
  const hostile = [
    { info, schema: { title: `schema ${index}`, properties: { input: { type: 'object' } } } },
    { info, schema: { properties: { input: { required: [`missing${index}`] } } } },
    { info, schema: { $ref: `https://elsewhere.example/${index}` } },
    { info: { input: [padding] }, schema: {} },
    { info, schema: { enum: Array.from({ length: 2_100 }, (_, at) => index + at) } },
    { info, schema: { type: 'object' }, routeTemplate: `/${index}/../%2e%2e/${padding.slice(0, 1_000)}` },
    padding,
  ];
  const dear = costly[index % costly.length]!;
  const bazaar =
    index % COSTLY_EVERY === 0
      ? { info: infoFor(dear), schema: { ...dear.schema, title: `${index}` } }
      : hostile[index % hostile.length];
  return { bazaar };
}
