import type { Refusal } from '../contract/index.ts';

/** Returns the body with which every operation but verify and settle refuses a request. */
export function errorBody<Code extends string>({
  code,
  message,
}: Refusal<Code>): {
  error: { code: Code; reason: string };
} {
  return { error: { code, reason: message } };
}
