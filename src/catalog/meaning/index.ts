export { dot, similarity, VECTOR_LENGTH } from './embed.ts';
export { loadModel, type ModelChoice } from './loadModel.ts';
export type { Model } from './model.ts';
export { UnusableModel } from './unusable.ts';
export { MAX_SCANNERS, NO_MEMBER, openVectorTable, SCAN_ROWS } from './vectorTable.ts';
export type { SharedMemory, VectorTable } from './vectorTable.ts';
