/** The result of one check of the rehearsal. */
export interface Finding {
  /** The part of the set-up that was checked. */
  readonly check: string;
  /** 'fail': the service would not work. 'warn': it would work until something happens. */
  readonly status: 'ok' | 'warn' | 'fail';
  /** The result and, unless it is ok, what to do. Never holds a secret. */
  readonly text: string;
}

type Find = (check: string, text: string) => Finding;

export const ok: Find = (check, text) => ({ check, status: 'ok', text });
export const warn: Find = (check, text) => ({ check, status: 'warn', text });
export const fail: Find = (check, text) => ({ check, status: 'fail', text });
