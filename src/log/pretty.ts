/** Shows log lines on a terminal: short, coloured, and unable to do anything to the terminal. */

/** A line of JSON as createLog makes it. */
interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly err?: LoggedError;
}

interface LoggedError {
  readonly type?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

const COLOURS = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, cyan: 36 };
type Paint = (text: string, colour: keyof typeof COLOURS) => string;

const LEVELS: Readonly<Record<string, { word: string; colour: keyof typeof COLOURS }>> = {
  info: { word: 'INFO ', colour: 'green' },
  warn: { word: 'WARN ', colour: 'yellow' },
  error: { word: 'ERROR', colour: 'red' },
};

/** These have each fact on a line of its own. */
const BLOCKS: ReadonlySet<string> = new Set(['started']);

/** A line of a stack that says where. */
const FRAME = /^\s+at /;

/** Returns a function that makes one line of JSON readable. It returns a text that is no such line escaped, but as it is. */
export function createPretty({ hasColours }: { hasColours: boolean }): (json: string) => string {
  const paint: Paint = hasColours
    ? (text, colour) => `\u001b[${COLOURS[colour]}m${text}\u001b[0m`
    : (text) => text;
  return (json) => {
    try {
      return `${shownLine(JSON.parse(json) as Line, paint)}\n`;
    } catch {
      return `${escaped(json.trimEnd())}\n`;
    }
  };
}

function shownLine({ level, time, msg, err, ...facts }: Line, paint: Paint): string {
  const { word, colour } = LEVELS[level] ?? { word: escaped(level), colour: 'cyan' };
  const clock = new Date(time).toTimeString().slice(0, 8);
  const head = `${paint(clock, 'dim')} ${paint(word, colour)} ${paint(escaped(msg), 'bold')}`;
  if (BLOCKS.has(msg)) return head + blockOf(facts, paint);
  return `${head} ${pairsOf(facts, paint)}`.trimEnd() + errorOf(err, level, paint);
}

function pairsOf(facts: object, paint: Paint): string {
  return Object.entries(facts)
    .map(([name, value]) => `${paint(`${escaped(name)}=`, 'cyan')}${valueOf(value)}`)
    .join(' ');
}

/** Shows each fact on a line of its own, and so each entry of a list. */
function blockOf(facts: object, paint: Paint): string {
  const entries = Object.entries(facts);
  const width = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.flatMap(([name, value]) =>
    [value].flat().map((item: unknown, index) => {
      const label = paint((index === 0 ? escaped(name) : '').padEnd(width), 'cyan');
      return `\n  ${label}  ${isObject(item) ? pairsOf(item, paint) : escaped(textOf(item))}`;
    }),
  );
  return lines.join('');
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Shows an error on a line of its own, and so what caused it. Where it happened counts only for errors. */
function errorOf(err: LoggedError | undefined, level: string, paint: Paint): string {
  if (err === undefined) return '';
  const { type = 'Error', message = '', stack = '', cause } = err;
  const frames = level === 'error' ? stack.split('\n').filter((line) => FRAME.test(line)) : [];
  const lines = [
    `\n    ${paint(escaped(`${type}: ${message}`), 'red')}`,
    ...frames.map((line) => `\n      ${paint(escaped(line.trim()), 'dim')}`),
  ];
  const isSaid = cause?.message !== undefined && message.includes(cause.message);
  return lines.join('') + (isSaid ? '' : errorOf(cause, level, paint));
}

/** Quotes a text that would not stand alone. */
function valueOf(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return escaped(value);
  return escaped(JSON.stringify(value));
}

/**
 * Escapes whatever is not simply shown: control characters move the cursor or change the terminal's settings, and marks
 * for the direction of text show a line in another order than it has.
 */
function escaped(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}
