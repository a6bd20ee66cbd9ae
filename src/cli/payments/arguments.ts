import type { RecordFilters, RecordStatus } from '../../journal/index.ts';
import { isRecipient } from '../../stellar/addresses.ts';
import { wrongUsage } from '../failure.ts';
import { readTime } from './times.ts';

export type Format = 'table' | 'json' | 'csv';

const MAX_CODE_CHARS = 128;

/** `--status` takes these words. */
export const STATUSES: Readonly<Record<RecordStatus, true>> = {
  pending: true,
  settled: true,
  failed: true,
  rejected: true,
  expired: true,
  forgotten: true,
};

interface GivenFilters {
  readonly pending: boolean;
  readonly status?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly payer?: string | undefined;
  readonly payTo?: string | undefined;
  readonly asset?: string | undefined;
  readonly caller?: string | undefined;
  readonly code?: string | undefined;
}

/** Throws a Failure if an option is wrong. */
export function readFilters(given: GivenFilters, nowMs: number): RecordFilters {
  const { payer, payTo, asset, caller, code } = given;
  const status = statusOf(given);
  for (const [option, address] of [
    ['--payer', payer],
    ['--payTo', payTo],
  ])
    if (address !== undefined && !isRecipient(address))
      throw wrongUsage(`${option} needs a Stellar address (G…, C…, M… or W…)`);
  if (asset !== undefined && !(asset.startsWith('C') && isRecipient(asset)))
    throw wrongUsage("--asset needs the address of the asset's contract (C…)");
  if (caller !== undefined && !/^(anonymous|key:\w{1,64})$/.test(caller))
    throw wrongUsage('--caller needs key:<id>, or anonymous');
  if (code !== undefined && !(code.length > 0 && code.length <= MAX_CODE_CHARS))
    throw wrongUsage('--code needs a code');
  const since = timeOf('--since', given.since, nowMs);
  const until = timeOf('--until', given.until, nowMs);
  if (since !== undefined && until !== undefined && since >= until)
    throw wrongUsage('--since must be before --until');
  return { status, payer, payTo, asset, caller, code, since, until };
}

function statusOf({ pending, status }: GivenFilters): RecordStatus | undefined {
  if (pending && status !== undefined) throw wrongUsage('give --pending or --status, not both');
  if (pending) return 'pending';
  if (status !== undefined && !isStatus(status))
    throw wrongUsage(`--status must be one of ${Object.keys(STATUSES).join(', ')}`);
  return status;
}

const isStatus = (text: string): text is RecordStatus => Object.hasOwn(STATUSES, text);

function timeOf(option: string, text: string | undefined, nowMs: number): Date | undefined {
  const time = text === undefined ? undefined : readTime(text, nowMs);
  if (text !== undefined && time === undefined)
    throw wrongUsage(`${option} needs a time such as 2026-11-23, 2026-11-23T08:00Z, or 2h: two hours ago`);
  return time;
}

export function formatOf({ json, csv }: { json: boolean; csv: boolean }): Format {
  if (json && csv) throw wrongUsage('give --json or --csv, not both');
  return json ? 'json' : csv ? 'csv' : 'table';
}

export function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw wrongUsage('--limit must be a whole number from 1 to 999999999');
  return limit;
}

/** Returns the beginning of a hash, or all of it. */
export function hashOf(text: string): string {
  const hash = text.toLowerCase();
  if (!/^[0-9a-f]{8,64}$/.test(hash))
    throw wrongUsage("<hash> must be a transaction's hash, or at least its first 8 characters");
  return hash;
}
