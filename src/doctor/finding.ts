/**
 * - `ok`: as it should be
 * - `warn`: works, but costs the seller something
 * - `unlisted`: the catalog would not list the resource
 * - `unchecked`: could not be learned
 * - `unpaid`: nobody could pay
 */
export type Status = 'ok' | 'warn' | 'unlisted' | 'unchecked' | 'unpaid';

/** What one check of a seller finds. */
export interface Finding {
  /** The place in the 402 that it is about, as `accepts[0].payTo`, or another short name. */
  readonly check: string;
  readonly status: Status;
  readonly text: string;
  /** What the seller can do about it. */
  readonly mend?: string | undefined;
  /** The code that the facilitator would give, if there is one. */
  readonly code?: string | undefined;
}

type Find = (check: string, text: string, mend?: string, code?: string) => Finding;

const finderOf =
  (status: Status): Find =>
  (check, text, mend, code) => ({
    check,
    status,
    text,
    ...(code !== undefined && { code }),
    ...(mend !== undefined && { mend }),
  });

export const ok = finderOf('ok');
export const warn = finderOf('warn');
export const unlisted = finderOf('unlisted');
export const unchecked = finderOf('unchecked');
export const unpaid = finderOf('unpaid');

export type Verdict = 'fine' | 'unlisted' | 'unchecked' | 'unpaid';

/** Returns the gravest that was found. Warnings leave a seller fine. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const grave = ['unpaid', 'unchecked', 'unlisted'] as const;
  return grave.find((status) => findings.some((finding) => finding.status === status)) ?? 'fine';
}
