import { hash } from 'node:crypto';
import type { DiscoveryResource } from '../../contract/index.ts';
import type { ListingKey } from '../listing.ts';
import type { ListingRow } from './listingRow.ts';

/** The part of a listing that its hash covers. */
export type Hashed = Pick<ListingRow, 'id' | 'owner' | 'ledger' | 'closedAt' | 'item'> & {
  readonly hidden: number | boolean;
};

/** Hashes a listing as the database does: see `listing_hash`. */
export function hashOf({ id, owner, ledger, closedAt, item, hidden }: Hashed): bigint {
  const facts = [id, owner, ledger, closedAt, item, hidden ? 'hidden' : null];
  const text = facts.filter((value) => value !== null).join(' ');
  return hashOfText(text);
}

/** Hashes a block as the database does: see `block_hash`. */
export const hashOfBlock = (key: string): bigint => hashOfText(`block ${key}`);

const hashOfText = (text: string): bigint => hash('sha256', text, 'buffer').readBigInt64BE(0);

export function keyOf({ resource, type, extensions }: DiscoveryResource): ListingKey {
  const input = (extensions?.bazaar?.info as { input?: { toolName?: unknown } } | undefined)?.input;
  return type === 'mcp'
    ? { resource, type, toolName: String(input?.toolName) }
    : { resource, type: 'http', toolName: '' };
}
