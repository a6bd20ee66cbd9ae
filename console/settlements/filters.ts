/** The search, and the filters in the page's address. */
import {
  withQuery,
  type Api,
  type Settlement,
  type SettlementPage,
  type SettlementStatus,
} from '../parts/api.ts';
import { givenIn } from '../parts/form.ts';
import type { Source } from '../parts/pages.ts';

export const SETTLEMENTS: Source<Settlement> = {
  path: '/settlements',
  from: 'cursor',
  read: ({ settlements, next }: SettlementPage) => ({ rows: settlements, next }),
};

export const FILTER_NAMES = [
  'status',
  'payer',
  'payTo',
  'asset',
  'caller',
  'code',
  'since',
  'until',
] as const;
export type Filters = Readonly<Partial<Record<(typeof FILTER_NAMES)[number], string>>>;

export const filtersIn = (query: Readonly<Record<string, string | undefined>>): Filters =>
  givenIn(query, FILTER_NAMES, 128);

export const isStatus = (filters: Filters, status: SettlementStatus): boolean => filters.status === status;

export const addressOf = (filters: Filters): string => withQuery('#/settlements', filters);
export const storyAddress = (hash: string): string => `#/settlements/${hash}`;

const HASH = /^[0-9a-f]{64}$/i;
const ACCOUNT = /^[GCM][A-Z2-7]{55,68}$/;

/** Returns the address that shows what was found, and a second one if an account both pays and is paid; or a problem. */
export async function find(
  text: string,
  api: Api,
  signal: AbortSignal,
): Promise<{ address: string; other?: string } | { problem: string }> {
  const sought = text.trim();
  if (HASH.test(sought)) return { address: storyAddress(sought.toLowerCase()) };
  const account = sought.toUpperCase();
  if (!ACCOUNT.test(account))
    return {
      problem: 'Enter a hash (64 characters of 0–9 and a–f), or an address that begins with G, C or M.',
    };
  const has = async (filters: Filters): Promise<boolean> => {
    const page = await api.get<SettlementPage>('/settlements', { ...filters, limit: 1 }, signal);
    return page.settlements.length > 0;
  };
  const [isPayer, isPaid] = await Promise.all([has({ payer: account }), has({ payTo: account })]);
  if (isPayer && isPaid)
    return { address: addressOf({ payer: account }), other: addressOf({ payTo: account }) };
  if (isPayer) return { address: addressOf({ payer: account }) };
  if (isPaid) return { address: addressOf({ payTo: account }) };
  return { problem: 'No settlement in the journal has this payer or recipient.' };
}

/** Converts the local time of a form field to the ISO time that the port expects. `localOf` does the reverse. */
export const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

export function localOf(instant: string | undefined): string {
  const date = new Date(instant ?? '');
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
