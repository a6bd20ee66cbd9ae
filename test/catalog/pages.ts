import type { Operations } from '../../src/catalog/operations.ts';
import type { Part } from '../../src/catalog/pages.ts';
import type { Encoded, Refusal } from '../../src/contract/index.ts';

/** A page of the catalog, read to its end. */
export async function readPage<Body>(answer: Encoded<Body> | Refusal): Promise<Body> {
  if ('code' in answer) throw new Error(`no page, but ${answer.code}`);
  const parts: Uint8Array[] = [answer.json];
  for await (const part of answer.rest ?? []) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString()) as Body;
}

/** The parts of a page as the operations hand them out, the first one given. */
export function* partsOf({ more }: Pick<Operations, 'more'>, first: Part | Refusal): Generator<Uint8Array> {
  if ('code' in first) throw new Error(`no page, but ${first.code}`);
  for (let part = first; ; part = more(part.rest)) {
    yield part.json;
    if (part.rest === undefined) return;
  }
}

export function readParts<Body>(operations: Pick<Operations, 'more'>, first: Part | Refusal): Body {
  return JSON.parse(Buffer.concat([...partsOf(operations, first)]).toString()) as Body;
}
