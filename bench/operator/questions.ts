/** Everything that the console and programs ask of the settlements, as paths of the operator's port. */
import { names, REFUSALS, type Filled } from './filledJournal.ts';

type Filters = Readonly<Record<string, string>>;

/** More than the journal has of any name. */
const NOBODY = 9_999_999;
const HOUR_MS = 3_600_000;
const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 500;

/** Returns every combination of the filters: with values that very many settlements have, that few have, and that none has. */
export function combinations(filled: Filled): Filters[] {
  const { fromMs, toMs } = filled;
  const middleMs = (fromMs + toMs) / 2;
  const tenthMs = (toMs - fromMs) / 10;
  const settled = { status: 'settled', code: REFUSALS[0].code };
  const [common, rare] = [REFUSALS[0], REFUSALS[3]];
  const statuses = [...REFUSALS.map(({ status }) => status), 'pending'].map((status) => ({ status }));
  return [
    ...subsets({ ...ofNumber(0), ...settled, ...between(fromMs + tenthMs, toMs - tenthMs) }),
    ...subsets({ ...ofNumber(0), ...shownOf(common), ...between(fromMs + tenthMs, toMs - tenthMs) }),
    ...subsets({ ...ofNumber(7), ...shownOf(rare), ...between(middleMs, middleMs + HOUR_MS) }),
    ...subsets({ ...ofNumber(NOBODY), status: 'pending', code: 'svc_none', ...between(0, HOUR_MS) }),
    ...statuses,
  ];
}

const ofNumber = (number: number): Filters => ({
  payer: names.payer(number),
  payTo: names.payTo(number),
  asset: names.asset(number),
  caller: names.caller(number),
});

const shownOf = ({ status, code }: (typeof REFUSALS)[number]): Filters => ({ status, code });

const between = (sinceMs: number, untilMs: number): Filters => ({
  since: new Date(sinceMs).toISOString(),
  until: new Date(untilMs).toISOString(),
});

function subsets(filters: Filters): Filters[] {
  return Object.entries(filters).reduce<Filters[]>(
    (smaller, [name, value]) => [...smaller, ...smaller.map((one) => ({ ...one, [name]: value }))],
    [{}],
  );
}

export function pagePath(filters: Filters, cursor?: string, limit = DEFAULT_LIMIT): string {
  const query = new URLSearchParams({ ...filters, limit: String(limit), ...(cursor && { cursor }) });
  return `/settlements?${query.toString()}`;
}

/** Lists lookups as the console's search makes them: a settlement by its hash, a payer or a recipient by one record. */
export function lookups({ settlements }: Filled): string[] {
  const numbers = Array.from({ length: 50 }, (_, nth) => Math.floor((nth / 49) * (settlements - 1)));
  const hashes = [...numbers, NOBODY].map((number) => `/settlements/${names.hash(number)}`);
  const parties = [0, 1, 7, 4_999, NOBODY].flatMap((number) => [
    pagePath({ payer: names.payer(number) }, undefined, 1),
    pagePath({ payTo: names.payTo(number) }, undefined, 1),
  ]);
  return [...hashes, ...parties];
}
