/** Returns how much a test by chance tries: a sample in `npm test`, `long` in `npm run test:long`. */
export const sample = (short: number, long: number): number => (process.env['TEST_LONG'] ? long : short);
