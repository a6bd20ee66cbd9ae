/** Reads the text format of OpenMetrics, and throws wherever it is not kept. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  /** Without the suffixes of its samples. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: Sample[];
}

const META = /^# (?<kind>HELP|TYPE) (?<name>[a-zA-Z_:][a-zA-Z0-9_:]*) (?<text>.+)$/;
const SAMPLE = /^(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;
const LABEL = /(?<label>[a-zA-Z_][a-zA-Z0-9_]*)="(?<text>(?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]?inf|nan)$/i;
const SUFFIXES = { counter: ['_total'], gauge: [''], histogram: ['_bucket', '_sum', '_count'] } as const;

export function readOpenMetrics(text: string): Family[] {
  if (!text.endsWith('\n# EOF\n')) throw new Error('the text does not end with # EOF');
  const families: Family[] = [];
  const seen = new Set<string>();
  let help: { name: string; text: string } | undefined;
  for (const line of text.slice(0, -'# EOF\n'.length).trimEnd().split('\n')) {
    const meta = META.exec(line)?.groups;
    if (meta?.['kind'] === 'HELP') {
      help = { name: meta['name']!, text: meta['text']! };
      if (/"|\\(?![\\n"])/.test(help.text)) throw new Error(`not escaped: ${line}`);
    } else if (meta !== undefined) families.push(familyOf(meta['name']!, meta['text']!, help, families));
    else {
      const [key, sample] = sampleIn(line, families.at(-1));
      if (seen.has(key)) throw new Error(`twice: ${line}`);
      seen.add(key);
      families.at(-1)!.samples.push(sample);
    }
  }
  for (const family of families) if (family.type === 'histogram') checkHistogram(family);
  return families;
}

function familyOf(
  name: string,
  type: string,
  help: { name: string; text: string } | undefined,
  before: readonly Family[],
): Family {
  if (help?.name !== name) throw new Error(`${name} has no help`);
  if (!Object.hasOwn(SUFFIXES, type)) throw new Error(`${name} has the type ${type}`);
  if (before.some((family) => family.name === name)) throw new Error(`${name} comes twice`);
  if (name.endsWith('_total') && type === 'counter') throw new Error(`${name} ends in _total`);
  return { name, type: type as Family['type'], help: help.text, samples: [] };
}

function sampleIn(line: string, family: Family | undefined): [key: string, sample: Sample] {
  const { name = '', labels: written = '', value = '' } = SAMPLE.exec(line)?.groups ?? {};
  const suffixes: readonly string[] = family === undefined ? [] : SUFFIXES[family.type];
  if (!suffixes.some((suffix) => name === family!.name + suffix)) throw new Error(`out of place: ${line}`);
  if (!NUMBER.test(value)) throw new Error(`no number: ${line}`);
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < written.length;) {
    const { label, text } = LABEL.exec(written)?.groups ?? {};
    if (label === undefined || label in labels) throw new Error(`wrong labels: ${line}`);
    labels[label] = text!.replaceAll(/\\(.)/g, (_all, char: string) => (char === 'n' ? '\n' : char));
  }
  const sample = { name, labels, value: numberOf(value) };
  if (family!.type === 'counter' && !(sample.value >= 0)) throw new Error(`below zero: ${line}`);
  return [seriesOf(sample), sample];
}

const numberOf = (text: string): number =>
  /inf/i.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);

/** Names a series: labels in order, without empty ones, which are the same as none. */
export function seriesOf({ name, labels }: Pick<Sample, 'name' | 'labels'>): string {
  const written = Object.entries(labels)
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `${label}=${JSON.stringify(text)}`)
    .toSorted();
  return written.length === 0 ? name : `${name}{${written.join(',')}}`;
}

/** Buckets must rise with their bounds, and the last one must hold everything. */
function checkHistogram({ name, samples }: Family): void {
  const rows = Map.groupBy(samples, ({ labels: { le: _le, ...labels } }) => seriesOf({ name, labels }));
  for (const [series, row] of rows) {
    const buckets = row.filter((sample) => sample.name === `${name}_bucket`);
    const count = row.find((sample) => sample.name === `${name}_count`)?.value;
    const bounds = buckets.map(({ labels }) => numberOf(labels['le'] ?? ''));
    const rises = (values: readonly number[]) =>
      values.every((value, at) => value >= (values[at - 1] ?? -Infinity));
    if (!rises(bounds) || !rises(buckets.map(({ value }) => value))) throw new Error(`${series} falls`);
    if (bounds.at(-1) !== Infinity || buckets.at(-1)!.value !== count)
      throw new Error(`${series} is not whole`);
    if (row.filter((sample) => sample.name === `${name}_sum`).length !== 1)
      throw new Error(`${series} has no sum`);
  }
}
