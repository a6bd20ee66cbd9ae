import type { StoredKey } from '../../callers/index.ts';
import type { Context } from '../command.ts';
import { withKeys } from './store.ts';

/** Shows the keys in the order in which they were made. Throws a Failure. */
export async function listKeys(
  { json }: { json: boolean },
  { environment, terminal }: Context,
): Promise<void> {
  const stored = await withKeys(environment, (keys) => keys.changedAfter(0));
  const keys = stored.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  if (json) terminal.say(JSON.stringify(keys.map(jsonOf), null, 2));
  else terminal.say(keys.length === 0 ? 'There are no keys.' : tableOf(keys));
}

/** Returns what programs read. A limit of null is the service's own. */
function jsonOf({ id, name, limits, createdAtMs, revokedAtMs }: StoredKey): object {
  const entries = Object.entries(limits).map(([limit, value]) => [
    limit,
    (value as number | undefined) ?? null,
  ]);
  return {
    id,
    name,
    limits: Object.fromEntries(entries) as object,
    createdAt: timeText(createdAtMs),
    revokedAt: revokedAtMs === undefined ? null : timeText(revokedAtMs),
  };
}

function tableOf(keys: readonly StoredKey[]): string {
  const rows = [
    ['ID', 'CREATED', 'REVOKED', 'LIMITS', 'NAME'],
    ...keys.map(({ id, name, limits, createdAtMs, revokedAtMs }) => [
      id,
      timeText(createdAtMs),
      revokedAtMs === undefined ? '' : timeText(revokedAtMs),
      limitsText(limits),
      name,
    ]),
  ];
  const widths = rows[0]!.map((_title, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function limitsText({ connections, ...limits }: StoredKey['limits']): string {
  const texts = [
    [limits.verifiesPerMinute, 'verifies/min'],
    [limits.settlesPerMinute, 'settles/min'],
    [limits.settlementsInFlight, 'in flight'],
    [connections, 'connections'],
    [limits.feeBudgetStroops, 'stroops/day'],
  ].flatMap(([limit, unit]) => (limit === undefined ? [] : [`${limit} ${unit}`]));
  return texts.length === 0 ? "the service's" : texts.join(', ');
}

const timeText = (ms: number): string => new Date(ms).toISOString();
