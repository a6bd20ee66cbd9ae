import { hash } from 'node:crypto';
import type { DiscoveryResource } from '../../contract/index.ts';
import type { ListingKey } from '../listing.ts';
import type { ListingRow } from './listingRow.ts';

/** The part of a listing that its hash covers. */
export type Hashed = Pick<ListingRow, 'id' | 'owner' | 'ledger' | 'closedAt' | 'item'>;

/** Hashes a listing as the database does: see `listing_hash`. */
export function hashOf({ id, owner, ledger, closedAt, item }: Hashed): bigint {
  const text = [id, owner, ledger, closedAt, item].filter((value) => value !== null).join(' ');
  return hash('sha256', text, 'buffer').readBigInt64BE(0);
}

export function keyOf({ resource, type, extensions }: DiscoveryResource): ListingKey {
  const input = (extensions?.bazaar?.info as { input?: { toolName?: unknown } } | undefined)?.input;
  return type === 'mcp'
    ? { resource, type, toolName: String(input?.toolName) }
    : { resource, type: 'http', toolName: '' };
}
