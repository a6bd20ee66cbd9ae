import type { Operations, Part } from '../../src/catalog/operations.ts';
import type { Encoded } from '../../src/contract/index.ts';

/** A page of the catalog, read to its end. */
export async function readPage<Body>(answer: Encoded<Body> | 'overloaded' | null): Promise<Body> {
  if (answer === null || answer === 'overloaded') throw new Error(`no page, but ${answer}`);
  const parts: Uint8Array[] = [answer.json];
  for await (const part of answer.rest ?? []) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString()) as Body;
}

/** The parts of a page as the operations hand them out, the first one given. */
export function* partsOf({ more }: Pick<Operations, 'more'>, first: Part): Generator<Uint8Array> {
  for (let part = first; ; part = more(part.rest)) {
    yield part.json;
    if (part.rest === undefined) return;
  }
}

export function readParts<Body>(operations: Pick<Operations, 'more'>, first: Part): Body {
  return JSON.parse(Buffer.concat([...partsOf(operations, first)]).toString()) as Body;
}
