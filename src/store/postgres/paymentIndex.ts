import { SCHEMA } from './schema.ts';

/** Finds all transactions of a payment, also those that no ledger took. A step that was released never changes. */
export const PAYMENT_INDEX = `
  CREATE INDEX entry_authorization ON ${SCHEMA}.entry ("authorization");
  DROP INDEX ${SCHEMA}.entry_applied;
`;
