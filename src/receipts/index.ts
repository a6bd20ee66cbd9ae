/** Signed statements of settlements, and what checks them. */
export { createReceipts, RECEIPT_EXTENSION, type Receipts } from './receipts.ts';
export { verifyReceipt } from './verify.ts';
