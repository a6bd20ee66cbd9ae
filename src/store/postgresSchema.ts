import { CALLER_KEYS } from './postgres/callerKeys.ts';
import { CATALOG_LOG } from './postgres/catalogLog.ts';
import { DESCRIPTIONS } from './postgres/descriptions.ts';
import { EVENTS } from './postgres/events.ts';
import { FEE_TOTALS } from './postgres/feeTotals.ts';
import { OWNERS } from './postgres/owners.ts';
import { PAYERS } from './postgres/payers.ts';
import { PAYMENT_INDEX } from './postgres/paymentIndex.ts';
import { PAYMENT_IDENTIFIERS } from './postgres/paymentIdentifiers.ts';
import { RECORDS } from './postgres/records.ts';
import { IMPORTED } from './postgres/imported.ts';
import { KEEPER } from './postgres/keeper.ts';
import { KEYED_ANSWERS } from './postgres/keyedAnswers.ts';
import { SELLER_ACTS } from './postgres/sellerActs.ts';
import { SIGNED } from './postgres/signed.ts';
import { SETTLEMENTS } from './postgres/settlements.ts';

export { SCHEMA } from './postgres/schema.ts';

/** Each step is the next version of the tables. A step that was released never changes. */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  SETTLEMENTS,
  CATALOG_LOG,
  FEE_TOTALS,
  CALLER_KEYS,
  RECORDS,
  KEEPER,
  EVENTS,
  SELLER_ACTS,
  OWNERS,
  PAYERS,
  DESCRIPTIONS,
  PAYMENT_INDEX,
  IMPORTED,
  KEYED_ANSWERS,
  PAYMENT_IDENTIFIERS,
  SIGNED,
];
