/** Holds a policy file to its schema, which editors use, too. */
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import schema from './policy.schema.json' with { type: 'json' };
import type { LineProblem, Path, Yaml } from './yaml.ts';

/** A problem shows this much of an unknown key. */
const MAX_SHOWN_CHARS = 40;

export function shapeProblems({ value, lineOf, lineOfKey }: Yaml): LineProblem[] {
  const validate = new Ajv2020({ allErrors: true, verbose: true }).compile(schema);
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== 'propertyNames')
    .map((error) => {
      const path = pathOf(error.instancePath, value);
      const key = keyOf(error);
      return {
        line: key === undefined ? lineOf(path) : lineOfKey(path, key),
        text: `${nameOf(path)} ${textOf(error)}`.trim(),
      };
    });
}

/** Returns the key that is wrong itself, if that is the problem. */
function keyOf({ params, propertyName }: ErrorObject): string | undefined {
  return propertyName ?? (params as { additionalProperty?: string }).additionalProperty;
}

function textOf({ keyword, params, propertyName, parentSchema = {} }: ErrorObject): string {
  const { description, properties = {} } = parentSchema as { description: string; properties?: object };
  // The rest explains the value to people who write one.
  const [form = ''] = description.split(/[:;] /);
  const known = Object.keys(properties).join(', ');
  switch (keyword) {
    case 'additionalProperties':
      return `must not have ${shown((params as { additionalProperty: string }).additionalProperty)}: the known keys are ${known}`;
    case 'required':
      return `needs ${(params as { missingProperty: string }).missingProperty}`;
    case 'minProperties':
    case 'minItems':
      return `must not be empty${known === '' ? '' : `: the known keys are ${known}`}`;
    case 'maxProperties':
    case 'maxItems':
      return known === ''
        ? `must not have more than ${(params as { limit: number }).limit} entries`
        : 'must have either allow or deny';
    default:
      return `${propertyName === undefined ? '' : 'has a key that '}must be ${form}`;
  }
}

const shown = (key: string): string => JSON.stringify(key.slice(0, MAX_SHOWN_CHARS));

/** Reads a JSON pointer. */
function pathOf(pointer: string, value: unknown): Path {
  const path: (string | number)[] = [];
  let here = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(here) ? Number(key) : key);
    here = (here as Record<string, unknown>)[key];
  }
  return path;
}

/** Returns the name by which people know a place in the file. */
export function nameOf(path: Path): string {
  const names = path.map((part) => (typeof part === 'number' ? ` entry ${part + 1}` : `.${part}`));
  return names.length === 0 ? 'the file' : names.join('').slice(1);
}
