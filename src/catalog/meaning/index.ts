export { loadBuiltIn } from './builtIn.ts';
export { dot, similarity, VECTOR_LENGTH } from './embed.ts';
export type { Model } from './model.ts';
