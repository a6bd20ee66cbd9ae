import type { ErrorObject } from 'ajv';
import { refuse, type HttpRefusal } from './refusal.ts';

/** A parameter, as the contract describes it. */
export interface QueryParameter {
  readonly name: string;
  /** The contract has parameters in headers, too. */
  readonly in: string;
  readonly schema: { readonly type?: string };
}

export type Query = Readonly<Record<string, string | number | boolean>>;

/**
 * Reads the documented parameters from a query as it was sent, and ignores all others. Refuses a parameter that is
 * given twice, an integer in anything but decimal digits, and a boolean that is not `true` or `false`. The contract's schema checks the rest.
 */
export function readQuery(
  parameters: readonly QueryParameter[],
  sent: string,
): { readonly query: Query } | HttpRefusal {
  const values = new URLSearchParams(sent);
  const query: Record<string, string | number | boolean> = {};
  for (const parameter of parameters) {
    const { name, schema } = parameter;
    if (parameter.in !== 'query') continue;
    const [text, repeated] = values.getAll(name);
    if (text === undefined) continue;
    if (repeated !== undefined) return invalid(`${name} is given more than once.`);
    const value = valueOf(text, schema.type);
    if (value === undefined) return invalid(`${name} must be ${FORMS[schema.type as keyof typeof FORMS]}.`);
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

const FORMS = { integer: 'a non-negative integer in decimal digits', boolean: 'true or false' };

/** Returns undefined if the text is not of the type. */
function valueOf(text: string, type: string | undefined): string | number | boolean | undefined {
  if (type === 'integer') return integerOf(text);
  if (type === 'boolean') return text === 'true' || text === 'false' ? text === 'true' : undefined;
  return text;
}

/** Returns undefined unless the text is decimal digits only. A number that is too large becomes the largest safe integer. */
function integerOf(text: string): number | undefined {
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined;
}

function invalid(message: string): HttpRefusal {
  return refuse(400, 'svc_invalid_query_parameter', message);
}
