import type { CatalogRefusal } from '../../listing.ts';
import { SCHEMA_LIMIT_NODES } from '../limits.ts';
import { refuse } from '../refusal.ts';

/** Refuses a schema with too many objects, arrays and scalars, itself included. Stops counting at the limit. */
export function checkNodes(schema: unknown): CatalogRefusal | undefined {
  const waiting: unknown[] = [schema];
  for (let nodes = 1; waiting.length > 0; nodes += 1) {
    if (nodes > SCHEMA_LIMIT_NODES || waiting.length > SCHEMA_LIMIT_NODES) return tooManyNodes();
    const node = waiting.pop();
    if (typeof node === 'object' && node !== null) {
      for (const child of Object.values(node)) waiting.push(child);
    }
  }
  return undefined;
}

function tooManyNodes(): CatalogRefusal {
  return refuse(
    'bazaar_schema_too_complex',
    `schema has more than ${SCHEMA_LIMIT_NODES} values; declare fewer parameters, or fewer details of each`,
  );
}
