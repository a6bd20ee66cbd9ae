/** What recipients sign. Nobody signs here: all that the contract allows is refused for its signature or its time. */
import fc from 'fast-check';
import { RAW_BODIES } from '../bodies.ts';
import type { Context } from '../context.ts';
import type { Operation } from '../document.ts';
import { jsonRequest, type FuzzRequest } from '../exchange.ts';
import { createSchemas, type Expectation } from '../judge.ts';
import { rule, ruleForEach, type Rule } from '../rule.ts';
import { mutationsOf, valueOf } from '../values.ts';

const NOT_SIGNED: Expectation = {
  statuses: [403],
  codes: ['svc_invalid_signature', 'svc_expired_signature'],
};
const MALFORMED: Expectation = { statuses: [400], codes: ['svc_malformed_request_body'] };

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

export function sellerRules(context: Context, operation: Operation): Rule[] {
  const { operationId, path, body: schema } = operation;
  const { placesOf } = createSchemas();
  const sample = (): any => JSON.parse(String(sellerSample(operation).body));
  const send = (body: unknown, said?: string) => {
    const sent: unknown = JSON.parse(JSON.stringify(body));
    const expected = placesOf(schema!, sent).length === 0 ? NOT_SIGNED : MALFORMED;
    return context.send(operation, jsonRequest(path, sent), expected, said);
  };
  const mutations = mutationsOf(schema!);
  return [
    rule(
      `${operationId}: every valid body is refused for its signature`,
      60,
      valueOf(schema!),
      async (body) => {
        await send(body);
      },
    ),
    ruleForEach(
      `${operationId}: a body that is changed in one place is answered as the contract says`,
      mutations,
      async (mutation) => void (await send(mutation.apply(sample()), mutation.rule)),
    ),
    rule(
      `${operationId}: so is one that is changed in two`,
      60,
      fc.tuple(fc.constantFrom(...mutations), fc.constantFrom(...mutations)),
      async ([one, two]) => void (await send(two.apply(one.apply(sample())), `${one.rule}, and ${two.rule}`)),
    ),
    ruleForEach(
      `${operationId}: a body is read, or refused as unreadable`,
      RAW_BODIES,
      async ({ rule: said, bodyOf, headers, expected }) => {
        const body = bodyOf(JSON.stringify(sample()));
        const request = { method: 'POST', target: path, headers, ...(body !== undefined && { body }) };
        await context.send(operation, request, expected.statuses.includes(200) ? NOT_SIGNED : expected, said);
      },
    ),
  ];
}
