import type { BazaarExtension } from '../../contract/index.ts';
import { cut, isObject, type JsonObject } from './json.ts';
import { PARAMETER_TEXT_DEPTH, PARAMETER_TEXT_LIMIT_CHARACTERS } from './limits.ts';
import { schemaPositions, type Position } from './schema/positions.ts';

/** Names that the protocol gives to the parts of `info`. They say nothing about the resource. */
const STRUCTURE: Readonly<Record<string, readonly string[]>> = {
  info: ['input', 'output'],
  input: [
    'type',
    'method',
    'bodyType',
    'queryParams',
    'pathParams',
    'headers',
    'body',
    'toolName',
    'description',
    'transport',
    'inputSchema',
    'example',
  ],
  output: ['type', 'format', 'example'],
};

/**
 * Returns the text by which searches find a resource's parameters: their names and the descriptions in schemas, one per
 * line. Ignores the values of examples and defaults.
 */
export function parameterText({ bazaar, type }: { bazaar: BazaarExtension; type: string }): string {
  const { schema, info } = bazaar;
  const input = info?.input;
  const words = [
    ...(type === 'mcp' && input !== undefined ? toolWords(input) : []),
    ...(isObject(schema) ? schemaWords(schema, structureAt) : []),
  ];
  return cut(words.join('\n').toWellFormed(), PARAMETER_TEXT_LIMIT_CHARACTERS);
}

function toolWords({ toolName, description, inputSchema }: JsonObject): string[] {
  const said = [toolName, description].filter((text) => typeof text === 'string');
  return isObject(inputSchema) ? [...said, ...schemaWords(inputSchema, () => [])] : said;
}

/** Collects names and descriptions from a schema, until there is enough text. */
function schemaWords(schema: JsonObject, structure: (position: Position) => readonly string[]): string[] {
  const words: string[] = [];
  let characters = 0;
  for (const position of schemaPositions(schema, PARAMETER_TEXT_DEPTH)) {
    if (!position.known) continue;
    const before = words.length;
    addWordsAt(position, structure(position), words);
    for (let nth = before; nth < words.length; nth++) characters += words[nth]!.length + 1;
    if (characters > PARAMETER_TEXT_LIMIT_CHARACTERS) break;
  }
  return words;
}

function addWordsAt({ schema }: Position, structure: readonly string[], words: string[]): void {
  const { properties, description } = schema;
  if (typeof description === 'string') words.push(description);
  if (!isObject(properties)) return;
  for (const name of Object.keys(properties)) if (!structure.includes(name)) words.push(name);
}

/** Returns the protocol's own names among the properties at a position in the schema for `info`. */
function structureAt({ parent, keyword, name }: Position): readonly string[] {
  if (parent === undefined) return STRUCTURE.info!;
  const isPartOfInfo = parent.parent === undefined && keyword === 'properties';
  return isPartOfInfo && (name === 'input' || name === 'output') ? STRUCTURE[name]! : [];
}
