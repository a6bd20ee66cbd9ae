const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const ISO = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|z|[+-]\d\d:\d\d)?)?$/;

/** Reads a date, a time (UTC unless it says otherwise), or a span back from now. Returns undefined for anything else. */
export function readTime(text: string, nowMs: number): Date | undefined {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return new Date(nowMs - Number(count) * UNIT_MS[unit]!);
  const [, date, time = '00:00', zone = 'Z'] = ISO.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  const parsed = new Date(`${date}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(parsed.getTime()) ? undefined : parsed;
}

/** False for 2026-02-31, which JavaScript takes for a day in March. */
function isDate(text: string): boolean {
  const parsed = new Date(text);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}
