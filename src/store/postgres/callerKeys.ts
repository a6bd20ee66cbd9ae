import { SCHEMA } from './schema.ts';

/** The keys of callers. A step that was released never changes. */
export const CALLER_KEYS = `
  -- 'change' counts what was made and revoked, in the order of commits.
  CREATE TABLE ${SCHEMA}.caller_key (
    id text PRIMARY KEY,
    change bigint NOT NULL UNIQUE,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    verifies_per_minute bigint,
    settles_per_minute bigint,
    settlements_in_flight bigint,
    connections bigint,
    fee_budget_stroops bigint,
    created_at_ms bigint NOT NULL,
    revoked_at_ms bigint
  );
`;
