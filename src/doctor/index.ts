/** Examines sellers as a buyer and the catalog would see them. */
export { buyOnce, type Purse } from './buy.ts';
export { examineSeller, type ExamineDeps } from './examine.ts';
export { verdictOf, type Finding, type Status, type Verdict } from './finding.ts';
export { DOCTOR_LIMITS } from './limits.ts';
