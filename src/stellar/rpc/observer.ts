import type { RpcAnswers } from './answers.ts';
import type { RpcFaultKind } from './fault.ts';

/** Hears of each call to a node, to count it. Must not throw. */
export interface RpcObserver {
  /** A call has ended. Its fault is that of the request if no node could answer it. */
  called(
    rpc: string,
    method: keyof RpcAnswers,
    ms: number,
    fault: RpcFaultKind | 'request' | undefined,
  ): void;
}

export const UNOBSERVED: RpcObserver = { called() {} };
