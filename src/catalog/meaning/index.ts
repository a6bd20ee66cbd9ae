export { loadBuiltIn } from './builtIn.ts';
export { dot, similarity, VECTOR_LENGTH } from './embed.ts';
export type { Model } from './model.ts';
export { MAX_SCANNERS, NO_MEMBER, openVectorTable, SCAN_ROWS } from './vectorTable.ts';
export type { SharedMemory, VectorTable } from './vectorTable.ts';
export { loadModel } from './loadModel.ts';
export { UnusableModel } from './unusable.ts';
