import fc from 'fast-check';
import { RAW_BODIES } from '../bodies.ts';
import type { Context } from '../context.ts';
import type { Operation } from '../document.ts';
import { jsonRequest } from '../exchange.ts';
import { createSchemas, type Expectation } from '../judge.ts';
import { rule, ruleForEach, type Rule } from '../rule.ts';
import { mutationsOf, valueOf } from '../values.ts';

const MALFORMED: Expectation = { statuses: [400], codes: ['svc_malformed_request_body'] };

interface PlainBodies {
  /** Makes a body that the contract allows. */
  sample(): Promise<any>;
  /** What such a body is answered. */
  accepted: Expectation;
}

/** The rules of an operation whose schema alone decides which bodies are read. */
export function plainBodyRules(
  context: Context,
  operation: Operation,
  { sample, accepted }: PlainBodies,
): Rule[] {
  const { operationId, path, body: schema } = operation;
  const { placesOf } = createSchemas();
  const send = (body: unknown, said?: string) => {
    const sent: unknown = JSON.parse(JSON.stringify(body));
    const expected = placesOf(schema!, sent).length === 0 ? accepted : MALFORMED;
    return context.send(operation, jsonRequest(path, sent), expected, said);
  };
  const mutations = mutationsOf(schema!);
  return [
    rule(`${operationId}: every body is answered as its schema says`, 60, valueOf(schema!), async (body) => {
      await send(body);
    }),
    ruleForEach(
      `${operationId}: a body that is changed in one place is answered as the contract says`,
      mutations,
      async (mutation) => void (await send(mutation.apply(await sample()), mutation.rule)),
    ),
    rule(
      `${operationId}: so is one that is changed in two`,
      60,
      fc.tuple(fc.constantFrom(...mutations), fc.constantFrom(...mutations)),
      async ([one, two]) =>
        void (await send(two.apply(one.apply(await sample())), `${one.rule}, and ${two.rule}`)),
    ),
    ruleForEach(
      `${operationId}: a body is read, or refused as unreadable`,
      RAW_BODIES,
      async ({ rule: said, bodyOf, headers, expected }) => {
        const body = bodyOf(JSON.stringify(await sample()));
        const request = { method: 'POST', target: path, headers, ...(body !== undefined && { body }) };
        await context.send(operation, request, expected.statuses.includes(200) ? accepted : expected, said);
      },
    ),
  ];
}
