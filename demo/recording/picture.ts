/** Draws a terminal's output as an SVG that shows it step by step, without scripts or fonts of its own. */

/** Lines of the terminal, and pixels. */
const ROWS = 34;
const CHAR_WIDTH = 8.43;
const LINE_HEIGHT = 19;
const MARGIN = 20;
/** Each step stays this long, and longer for each of its lines, before the next one appears. */
const SECONDS_PER_STEP = 1;
const SECONDS_PER_LINE = 0.35;

/** A terminal of its own colours is legible on light and on dark pages. */
const STYLE = `
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; fill: #e6edf3; white-space: pre; }
  .bold { font-weight: 700; fill: #ffffff; }
  .dim { fill: #9198a1; }
  .green { fill: #3fb950; }
  .red { fill: #ff7b72; }`;

/** Styles of the terminal by their codes. All others end a style. */
const CLASSES: Readonly<Record<string, string>> = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green' };

/** A step of the story, on its page and in its time. */
interface Step {
  lines: string[];
  /** The row of its first line. */
  row: number;
  /** Seconds since the beginning. */
  shownAt: number;
  hiddenAt: number;
  isOnFirstPage: boolean;
}

/** `output` may have styles. Steps are parted by empty lines. */
export function pictureOf(command: string, output: string): string {
  const steps = stepsOf([`$ ${command}`, ...output.trim().split('\n')].join('\n'));
  const seconds = steps.at(-1)?.hiddenAt ?? 0;
  const widest = Math.max(...steps.flatMap(({ lines }) => lines.map((line) => plain(line).length)));
  const [width, height] = [Math.ceil(widest * CHAR_WIDTH + 2 * MARGIN), ROWS * LINE_HEIGHT + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>What ${command} prints, step by step</title>`,
    `<style>${STYLE}${steps.map((step, nth) => timing(step, nth, seconds)).join('')}\n</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#3d444d"/>`,
    ...steps.map(drawn),
    '</svg>\n',
  ].join('\n');
}

/** Fills pages with whole steps. */
function stepsOf(output: string): Step[] {
  const steps: Step[] = [];
  let page: Step[] = [];
  let [row, seconds, isOnFirstPage] = [0, 0, true];
  const turn = (): void => {
    for (const step of page) step.hiddenAt = seconds;
    [page, row, isOnFirstPage] = [[], 0, false];
  };
  for (const lines of output.split('\n\n').map((step) => step.split('\n'))) {
    if (row + lines.length > ROWS) turn();
    const step = { lines, row, shownAt: seconds, hiddenAt: 0, isOnFirstPage };
    steps.push(step);
    page.push(step);
    row += lines.length + 1;
    seconds += SECONDS_PER_STEP + SECONDS_PER_LINE * lines.length;
  }
  turn();
  return steps;
}

/** Where nothing moves, the first page stands. */
function timing({ shownAt, hiddenAt, isOnFirstPage }: Step, nth: number, seconds: number): string {
  const percent = (at: number): string => `${((at / seconds) * 100).toFixed(2)}%`;
  const before = shownAt === 0 ? '' : '0% { visibility: hidden; } ';
  const after = hiddenAt === seconds ? '' : `${percent(hiddenAt)}, 100% { visibility: hidden; } `;
  return `
  @keyframes step${nth} { ${before}${percent(shownAt)} { visibility: visible; } ${after}}
  #step${nth} { visibility: ${isOnFirstPage ? 'visible' : 'hidden'}; }
  @media (prefers-reduced-motion: no-preference) { #step${nth} { animation: step${nth} ${seconds.toFixed(1)}s step-end infinite; } }`;
}

function drawn({ lines, row }: Step, nth: number): string {
  const texts = lines.map((line, index) => {
    const y = MARGIN + (row + index) * LINE_HEIGHT + LINE_HEIGHT / 2 + 5;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${styled(line)}</text>`;
  });
  return [`<g id="step${nth}">`, ...texts, '</g>'].join('\n');
}

// oxlint-disable-next-line no-control-regex
const STYLE_CODE = /\u001b\[(\d+)m/;

const plain = (line: string): string => line.replaceAll(new RegExp(STYLE_CODE, 'g'), '');

/** Turns styles of the terminal into classes. */
function styled(line: string): string {
  let name: string | undefined;
  return line
    .split(STYLE_CODE)
    .map((part, index) => {
      if (index % 2 === 0) return name === undefined ? escaped(part) : tspan(name, part);
      name = CLASSES[part];
      return '';
    })
    .join('');
}

const tspan = (name: string, text: string): string =>
  text === '' ? '' : `<tspan class="${name}">${escaped(text)}</tspan>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
