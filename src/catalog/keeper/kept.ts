import type { DiscoveryResource } from '../../contract/index.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../limits.ts';
import type { BlockTarget } from './target.ts';
import type { KeeperAction, RecordedAct, KeptListing } from './types.ts';

/** A row of a listing in either store. */
export interface KeptRow {
  readonly id: number;
  readonly owner: string;
  /** Undefined if the row is damaged. */
  readonly item: DiscoveryResource | undefined;
  readonly isHidden: boolean;
}

export function keptListing(
  { id, owner, item, isHidden }: KeptRow,
  blockedBy: readonly BlockTarget[],
): KeptListing {
  const { toolName } = (item?.extensions?.bazaar?.info as Info | undefined)?.input ?? {};
  return {
    id,
    resource: item?.resource ?? '',
    type: item?.type ?? '',
    toolName: item?.type === 'mcp' ? String(toolName) : undefined,
    payTo: owner,
    serviceName: item?.serviceName,
    lastUpdated: item?.lastUpdated,
    isHidden,
    blockedBy,
    stale: item?.stale,
  };
}

interface Info {
  readonly input?: { readonly toolName?: unknown };
}

/** Reads a row of `keeper_act` in either store. */
export function actOf(row: Record<string, unknown>): RecordedAct {
  const { id, at_ms: atMs, source, actor, action, subject, listing, reason } = row;
  return {
    id: Number(id),
    at: new Date(Number(atMs)),
    source: source as RecordedAct['source'],
    actor: String(actor),
    action: action as KeeperAction,
    subject: String(subject),
    listing: listing === null ? undefined : Number(listing),
    reason: String(reason),
  };
}

/** Clamps the size of a page, and never rejects it. */
export function pageLimit(requested = DEFAULT_PAGE_SIZE): number {
  return Math.min(MAX_PAGE_SIZE, Math.max(1, requested));
}
