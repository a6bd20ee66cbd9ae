import type { DatabaseSync } from 'node:sqlite';
import type { DiscoveryResource } from '../../contract/index.ts';
import { originOf } from '../keeper/target.ts';
import { MAX_UNPROVEN, SCANNED_FOR_UNPROVEN } from '../limits.ts';
import type { EndingPage, ProofPlace, ProofStore, RecordRequest, Unproven, Verified } from '../proofs.ts';
import { AFTER_SLASH, createBlocked } from './blocked.ts';
import { readItem } from './listingRow.ts';
import { createRewrite } from './rewrite.ts';

interface EndingRow extends ProofPlace {
  readonly resource: string;
  readonly owner: string;
}

/** See `Proofs`. Looks at a limited number of an owner's listings, the latest first. */
export function createProofStore(db: DatabaseSync): ProofStore {
  const blocked = createBlocked(db);
  const selectUnproven = db.prepare(`
    SELECT id, resource, type, proven_until AS provenUntil FROM (
      SELECT id FROM listing WHERE owner = ? AND (proven_until IS NULL OR proven_until < ?)
      ORDER BY id DESC LIMIT ${SCANNED_FOR_UNPROVEN}
    ) JOIN listing USING (id)
    WHERE resource >= ? AND resource < ? AND hidden = 0 LIMIT ${MAX_UNPROVEN}`);
  const selectEnding = db.prepare(`
    SELECT proven_until AS until, id, resource, owner FROM listing
    WHERE (proven_until, id) > (?, ?) AND proven_until < ? ORDER BY proven_until, id LIMIT ${MAX_UNPROVEN}`);

  return {
    unproven({ origin, payTo, untilBefore }) {
      if (blocked.covers({ resource: `${origin}/`, owner: payTo })) return [];
      const range = [`${origin}/`, `${origin}${AFTER_SLASH}`];
      return selectUnproven.all(payTo, untilBefore, ...range) as unknown as Unproven[];
    },
    ending({ untilBefore, after }): EndingPage {
      const rows = selectEnding.all(after.until, after.id, untilBefore) as unknown as EndingRow[];
      const last = rows.length === MAX_UNPROVEN ? rows.at(-1) : undefined;
      return {
        listings: rows.map(({ resource, owner }) => ({ origin: originOf(resource), payTo: owner, resource })),
        next: last && { until: last.until, id: last.id },
      };
    },
    record: createRecord(db),
  };
}

function createRecord(db: DatabaseSync): ProofStore['record'] {
  const rewrite = createRewrite(db);
  return ({ id, owner, verified }: RecordRequest) =>
    rewrite(id, (row) => {
      const before = row.owner === owner ? readItem(row.item) : undefined;
      return before && withProof(before, verified);
    });
}

export function withProof(
  { verified: _, ...item }: DiscoveryResource,
  verified: Verified | undefined,
): DiscoveryResource {
  return verified === undefined ? item : { ...item, verified };
}
