/** What a check of the rehearsal found. */
export interface Finding {
  /** The part of the set-up that was looked at. */
  readonly check: string;
  /** 'fail': the service would not work. 'warn': it would, until something happens. */
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was found and, unless it is ok, what to do. Never holds a secret. */
  readonly text: string;
}

type Find = (check: string, text: string) => Finding;

export const ok: Find = (check, text) => ({ check, status: 'ok', text });
export const warn: Find = (check, text) => ({ check, status: 'warn', text });
export const fail: Find = (check, text) => ({ check, status: 'fail', text });
