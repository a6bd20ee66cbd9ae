/** What recipients sign. Nobody signs here: all that the contract allows is refused for its signature or its time. */
import type { Context } from '../context.ts';
import type { Operation } from '../document.ts';
import { jsonRequest, type FuzzRequest } from '../exchange.ts';
import type { Expectation } from '../judge.ts';
import type { Rule } from '../rule.ts';
import { plainBodyRules } from './plainBodies.ts';

const NOT_SIGNED: Expectation = {
  statuses: [403],
  codes: ['svc_invalid_signature', 'svc_expired_signature'],
};

/** What the sample of an operation is answered; undefined if that is 200. */
export const sampleExpectation = (operation: Operation): Expectation | undefined =>
  isOfSellers(operation) ? NOT_SIGNED : undefined;

export const isOfSellers = ({ path }: Operation): boolean => path.startsWith('/discovery/listings/');

/** A request of the contract's examples, which were signed long ago. */
export function sellerSample({ path, body }: Operation): FuzzRequest {
  const { required, properties } = body as { required: string[]; properties: Record<string, any> };
  const valueIn = ({ examples, enum: values }: { examples?: unknown[]; enum?: unknown[] }) =>
    (examples ?? values)![0];
  const fields = required.map((name) => [name, valueIn(properties[name])] as const);
  return jsonRequest(path, Object.fromEntries(fields));
}

export const sellerRules = (context: Context, operation: Operation): Rule[] =>
  plainBodyRules(context, operation, {
    sample: async () => JSON.parse(String(sellerSample(operation).body)),
    accepted: NOT_SIGNED,
  });
