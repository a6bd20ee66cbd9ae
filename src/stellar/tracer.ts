/** The phases of a settlement. */
export type Phase = 'settlement' | 'verify' | 'wait for an account' | 'sign' | 'send' | 'wait for the ledger';

/** Shows how long the parts of a request take. The scheme and the RPC tell it what they do. */
export interface SchemeTracer {
  /** Does work as a phase of what is under way. If the work throws, the phase has failed. */
  phase<Result>(name: Phase, work: () => Promise<Result>): Promise<Result>;
  /** Makes a call to a node as a part of what is under way. */
  call<Answer>(method: string, node: string, call: () => Promise<Answer>): Promise<Answer>;
  /** Adds facts to the phase under way. */
  note(facts: Readonly<Record<string, string | number | undefined>>): void;
  /** Returns a function that does work as a part of what is under way now, whoever calls it. */
  bind(): <Result>(work: () => Result) => Result;
}

/** Shows nothing. */
export const UNTRACED: SchemeTracer = {
  phase: (_name, work) => work(),
  call: (_method, _node, call) => call(),
  note() {},
  bind: () => (work) => work(),
};
