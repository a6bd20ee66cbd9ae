/** What is said to callers whose key is wrong. The service under test needs no key. */
import type { Context } from '../context.ts';
import { getRequest, jsonRequest } from '../exchange.ts';
import { ruleForEach, type Rule } from '../rule.ts';

const SECRET = 'A'.repeat(43);

const WRONG_KEYS = [
  `Bearer sf_${'0'.repeat(12)}_${SECRET}`,
  `bearer  sf_${'f'.repeat(12)}_${SECRET}`,
  `BEARER sf_${'0'.repeat(12)}_${SECRET}${SECRET}`,
  'Bearer sf_',
  'Bearer sf_%00',
  `Bearer sf_${'x'.repeat(8_000)}`,
];

export function callerRules({ document, send }: Context): Rule[] {
  return document.operations.map((operation) =>
    ruleForEach(
      `${operation.operationId}: a key that is not known is refused before anything else`,
      WRONG_KEYS,
      async (authorization) => {
        const { path, body } = operation;
        const request = body ? jsonRequest(path, null) : getRequest(path, [['limit', 'ten']]);
        const headers = { ...request.headers, authorization };
        await send(operation, { ...request, headers }, { statuses: [401], codes: ['svc_unauthorized'] });
      },
    ),
  );
}
