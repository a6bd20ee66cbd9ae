import type { AskPerson } from './payment/approval.ts';
import type { Patience } from './payment/waiting.ts';

/** The host that made a call: how long it waits, how to ask its person, and whether the result has reached it. */
export interface Caller {
  readonly patience: Patience;
  readonly askPerson: AskPerson;
  /** Resolves once the result was handed over. If the host has gone first, `patience` has ended by then. */
  readonly delivered: Promise<void>;
}
