import { isMap, isNode, LineCounter, parseDocument, type Document, type Node } from 'yaml';

/** Leads from the top of a document to a value, by keys and by places in lists. */
export type Path = readonly (string | number)[];

/** Says what is wrong, and in which line. */
export interface LineProblem {
  readonly line: number;
  readonly text: string;
}

export interface Yaml {
  readonly value: unknown;
  /** Returns the line of a value, or of the nearest one around it. */
  lineOf(path: Path): number;
  /** Returns the line of a key in the map at `path`. */
  lineOfKey(path: Path, key: string): number;
}

/** Enough for anchors in a text that people write. Values that multiply themselves are refused. */
const MAX_ALIASES = 100;

export function readYaml(text: string): Yaml | { problems: LineProblem[] } {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
    const wrong = [...document.errors, ...document.warnings];
    if (wrong.length > 0)
      return {
        problems: wrong.map(({ pos: [at], message }) => ({
          line: lineAt(at),
          text: `is not YAML: ${message}`,
        })),
      };
    const lineOf = (node: Node | undefined): number => lineAt(node?.range?.[0] ?? 0);
    return {
      value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown,
      lineOf: (path) => lineOf(nearestNode(document, path)),
      lineOfKey(path, key) {
        const map = nearestNode(document, path);
        const pair = isMap(map) ? map.items.find(({ key: its }) => String(its) === key) : undefined;
        return lineOf(isNode(pair?.key) ? pair.key : map);
      },
    };
  } catch {
    // The parser is recursive, and counts aliases only as it follows them.
    return { problems: [{ line: 1, text: 'is nested too deeply, or repeats too much by aliases' }] };
  }
}

/** Returns the node at a path. A path may lead through an alias, which is then the nearest node. */
function nearestNode(document: Document, path: Path): Node | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node;
  }
  return isNode(document.contents) ? document.contents : undefined;
}
