import type { OperationId } from '../contract/index.ts';

/** Hears what is answered, to count it. Must not throw. */
export interface HttpObserver {
  /** An answer was made. Without an operation, there is no such route; without a code, nothing is refused. */
  answered(operation: OperationId | undefined, status: number, code: string | undefined, ms: number): void;
}

export const UNOBSERVED: HttpObserver = { answered() {} };
