/** Parts that the schemas of the tools are made of. */
import { AGENT_CODES } from '../codes.ts';

export type Schema = Record<string, unknown>;

export const text = (description: string, more: Schema = {}): Schema => ({
  type: 'string',
  description,
  ...more,
});
export const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema['type'], 'null'] });

/** The mark of a listing; absent unless it is marked. */
export const STALE: Schema = {
  type: 'object',
  description:
    "Only if the facilitator's operator last found the resource otherwise than its listing says. Prefer another, or tell the user before paying.",
  properties: {
    reason: orNull(text('no_answer, no_402 or other_terms.')),
    since: orNull(text('When a check first found it so.')),
    text: text('The reason in plain words.'),
  },
};

const NEXT_STEPS = Object.entries(AGENT_CODES)
  .map(([code, next]) => `${code}: ${next}`)
  .join('\n');

/** The error fields of both tools. A result has these two fields exactly when `isError` is set. */
export const ERROR_FIELDS: Schema = {
  errorCode: text(
    `Only in a failed call. Codes without the prefix svc_mcp_ are the facilitator's own.\n${NEXT_STEPS}`,
  ),
  reason: text('Only in a failed call: what happened, and whether anything was paid.'),
};
