/** Serves the one Horizon resource that stock x402 clients read: the latest ledgers and when they closed. */
import type { LedgerSummary, Network } from './network.ts';
import { json, problem, type HttpReply } from './reply.ts';

/** Horizon's own limits of a page. */
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 200;

/** GET /ledgers?order=asc|desc&limit=N: returns a page of ledgers in Horizon's shape, without cursors. */
export function ledgersPage(network: Network, query: URLSearchParams): HttpReply {
  const limit = query.get('limit') ?? String(DEFAULT_LIMIT);
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > MAX_LIMIT) {
    return problem(400, `limit must be an integer from 1 to ${MAX_LIMIT}`);
  }
  const order = query.get('order') ?? 'asc';
  if (order !== 'asc' && order !== 'desc') return problem(400, 'order must be asc or desc');
  const ledgers =
    order === 'desc'
      ? network.ledgers(Number(limit))
      : network.ledgers(Number.MAX_SAFE_INTEGER).reverse().slice(0, Number(limit));
  const link = { href: `/ledgers?order=${order}&limit=${limit}` };
  return json({
    _links: { self: link, next: link, prev: link },
    _embedded: { records: ledgers.map(ledgerRecord) },
  });
}

function ledgerRecord({ sequence, closedAtMs, hash }: LedgerSummary): object {
  return {
    _links: {},
    id: hash,
    paging_token: String(BigInt(sequence) << 32n),
    hash,
    sequence,
    closed_at: closeTime(closedAtMs),
  };
}

/**
 * Horizon writes whole seconds. Ledgers that close faster keep their milliseconds: clients divide by the time
 * between ledgers, which must not become zero.
 */
function closeTime(closedAtMs: number): string {
  return new Date(closedAtMs).toISOString().replace('.000Z', 'Z');
}
