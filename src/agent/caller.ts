import type { AskPerson } from './payment/approval.ts';
import type { Patience } from './payment/waiting.ts';

/** The host that made a call: how long it waits, and how to ask its person. */
export interface Caller {
  readonly patience: Patience;
  readonly askPerson: AskPerson;
}
