export { VECTOR_LENGTH } from './embed.ts';
export { loadModel, type ModelChoice } from './loadModel.ts';
export type { Model } from './model.ts';
export { UnusableModel } from './unusable.ts';
export { createVectorTable, SCAN_ROWS } from './vectorTable.ts';
