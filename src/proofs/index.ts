export { heardBy, startProver } from './prover.ts';
export type { Prover } from './prover.ts';
