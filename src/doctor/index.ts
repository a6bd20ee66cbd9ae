/** Examines sellers as a buyer and the catalog would see them. */
export { buyOnce, type Purse } from './buy.ts';
export { examineSeller, type ExamineDeps } from './examine.ts';
export { verdictOf, type Finding, type Status, type Verdict } from './finding.ts';
export { CHECK_LIMITS, DOCTOR_LIMITS } from './limits.ts';
export { checkCatalog, type CheckCatalogDeps, type CheckTotals } from './checkCatalog.ts';
