import type { ErrorObject } from 'ajv';
import { refuse, type HttpRefusal } from './refusal.ts';

/** A query parameter, as the contract describes it. */
export interface QueryParameter {
  readonly name: string;
  readonly schema: { readonly type?: string };
}

export type Query = Readonly<Record<string, string | number>>;

/**
 * Reads the documented parameters from a query as it was sent, and ignores all others. Refuses a parameter that is
 * given twice, and an integer in anything but decimal digits. The contract's schema checks the rest.
 */
export function readQuery(
  parameters: readonly QueryParameter[],
  sent: string,
): { readonly query: Query } | HttpRefusal {
  const values = new URLSearchParams(sent);
  const query: Record<string, string | number> = {};
  for (const parameter of parameters) {
    const { name, schema } = parameter;
    const [text, repeated] = values.getAll(name);
    if (text === undefined) continue;
    if (repeated !== undefined) return invalid(`${name} is given more than once.`);
    const value = schema.type === 'integer' ? integerOf(text) : text;
    if (value === undefined) return invalid(`${name} must be a non-negative integer in decimal digits.`);
    query[name] = value;
  }
  return { query };
}

/** Returns the refusal for what the contract's schema found. A missing or blank search query has its own code. */
export function queryRefusal({ instancePath, params, message }: ErrorObject): HttpRefusal {
  const name = (params['missingProperty'] as string | undefined) ?? instancePath.split('/').at(-1);
  if (name === 'query') return refuse(400, 'svc_missing_search_query');
  return invalid(`${name} ${message ?? 'is not allowed'}.`);
}

/** Returns undefined unless the text is decimal digits only. A number that is too large becomes the largest safe integer. */
function integerOf(text: string): number | undefined {
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined;
}

function invalid(message: string): HttpRefusal {
  return refuse(400, 'svc_invalid_query_parameter', message);
}
