import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import type { Family } from './openMetrics.ts';
import { labelsIn, PREFIX, scrapeBusyService } from './observed.ts';

interface Query {
  /** Where it stands. */
  title: string;
  expr: string;
  /** Texts with `{{label}}` in them. */
  templates: string[];
}

interface Panel {
  id: number;
  type: string;
  title: string;
  datasource?: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string; refId: string; datasource: { uid: string } }[];
}

interface Dashboard {
  uid: string;
  title: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string; query: string }[] };
  panels: Panel[];
}

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; description: string };
}

const dashboard = JSON.parse(readFileSync('ops/dashboard.json', 'utf8')) as Dashboard;
const { groups } = parse(readFileSync('ops/alerts.yaml', 'utf8')) as { groups: { rules: Rule[] }[] };

const ofAlerts: Query[] = groups
  .flatMap(({ rules }) => rules)
  .map(({ alert, expr, annotations: { summary, description } }) => ({
    title: alert,
    expr,
    templates: [summary.replaceAll('$labels.', ''), description],
  }));
const ofDashboard: Query[] = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, templates: [legendFormat] })),
);

const METRIC = /\b(?<metric>(?:facilitator|nodejs|process)_\w+)(?:\{(?<matchers>[^}]*)\})?/g;
const MATCHER = /(?<label>\w+)(?:=~|!~|!=|=)"(?<values>[^"]*)"/g;
const GROUPING = /\b(?:by|without|on|ignoring)\s*\((?<labels>[^)]*)\)/g;
const TEMPLATE = /\{\{\s*(?<label>\w+)\s*\}\}/g;
/** Prometheus adds these to each series. */
const ADDED = ['instance', 'job'];

const stage = useStage();
const { newPayment } = settlementsOn(stage);
let labels: Map<string, Set<string>>;
let families: Family[];

/** Two nodes, of which the first is dead: nothing listens there. */
beforeAll(async () => {
  const rpcUrl = ['http://127.0.0.1:9', stage.sandbox.url];
  families = await scrapeBusyService({ ...stage.options, rpcUrl }, newPayment);
  labels = labelsIn(families);
});

/** What a query asks for that no scrape has. */
function strangersIn({ expr, templates }: Query): string[] {
  const asked = [...expr.matchAll(METRIC)].map(({ groups }) => groups!);
  const unknown = asked.map(({ metric }) => metric!).filter((metric) => !labels.has(metric));
  const has = (metric: string, label: string): boolean =>
    ADDED.includes(label) || labels.get(metric)?.has(label) === true;
  const matched = asked.flatMap(({ metric, matchers = '' }) =>
    [...matchers.matchAll(MATCHER)]
      .map(({ groups }) => groups!['label']!)
      .filter((label) => !has(metric!, label))
      .map((label) => `${metric}{${label}}`),
  );
  const grouped = [...expr.matchAll(GROUPING)].flatMap(({ groups }) => groups!['labels']!.split(/,\s*/));
  const shown = templates.flatMap((text) =>
    [...text.matchAll(TEMPLATE)].map(({ groups }) => groups!['label']!),
  );
  const nowhere = [...grouped, ...shown].filter(
    (label) => !ADDED.includes(label) && !asked.some(({ metric }) => has(metric!, label)),
  );
  return [...unknown, ...matched, ...nowhere];
}

/** The values that queries compare labels with, by label, where the scrape has all that there can be. */
const COMPLETE = ['state', 'outcome', 'role'];

function strangeValuesIn({ expr }: Query): string[] {
  return [...expr.matchAll(METRIC)].flatMap(({ groups }) => {
    const { metric, matchers = '' } = groups!;
    const samples = families.flatMap((family) => family.samples).filter(({ name }) => name === metric);
    return [...matchers.matchAll(MATCHER)]
      .map(({ groups: found }) => found!)
      .filter(({ label }) => COMPLETE.includes(label!))
      .flatMap(({ label, values }) => values!.split('|').map((value) => ({ label: label!, value })))
      .filter(({ label, value }) => !samples.some((sample) => sample.labels[label] === value))
      .map(({ label, value }) => `${metric}{${label}="${value}"}`);
  });
}

describe.each([
  ['alerts', ofAlerts],
  ['dashboard', ofDashboard],
])('the queries of the %s', (_file, queries) => {
  test('ask for metrics and labels that a scrape has', () => {
    const strangers = queries.map((query) => [query.title, strangersIn(query)] as const);
    expect(strangers.filter(([, found]) => found.length > 0)).toEqual([]);
  });

  test('compare with values that labels can have', () => {
    // A service in which no settlement failed has no series for that yet.
    const rare = [
      'facilitator_settlements_total{outcome="error"}',
      'facilitator_settlements_total{outcome="refused"}',
    ];
    const strange = queries.flatMap(strangeValuesIn).filter((series) => !rare.includes(series));
    expect(strange).toEqual([]);
  });

  test('find what is not there', () => {
    const query = {
      title: '',
      expr: 'sum by (color) (facilitator_colors{shade="red"})',
      templates: ['{{hue}}'],
    };
    expect(strangersIn(query)).toEqual(['facilitator_colors', 'facilitator_colors{shade}', 'color', 'hue']);
    const value = { title: '', expr: 'facilitator_accounts{state="gone"}', templates: [] };
    expect(strangeValuesIn(value)).toEqual(['facilitator_accounts{state="gone"}']);
  });
});

describe('the dashboard', () => {
  const { panels, templating, schemaVersion } = dashboard;

  test('lets its reader choose the data source, and uses no other', () => {
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const sources = panels.flatMap(({ datasource, targets = [] }) => [
      ...(datasource ? [datasource] : []),
      ...targets.map((target) => target.datasource),
    ]);
    expect(new Set(sources.map(({ uid }) => uid))).toEqual(new Set(['${datasource}']));
  });

  test('has panels of known kinds, each with a title, an id and queries of its own', () => {
    expect(schemaVersion).toBeGreaterThanOrEqual(39);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { type, title, targets = [] } of panels) {
      expect(['row', 'stat', 'timeseries', 'table']).toContain(type);
      expect(title).not.toBe('');
      expect(targets.length > 0).toBe(type !== 'row');
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
  });

  test('lays its panels out on the grid, none over another', () => {
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x},${y}`), title).toBe(false);
          taken.add(`${x},${y}`);
        }
    }
  });
});

describe('the operator’s reference', () => {
  const [, section = ''] = /\n## Metrics\n([^]*?)\n## /.exec(
    readFileSync('docs/operator-reference.md', 'utf8'),
  )!;
  /** A line for each subject, with the metrics' names after the prefix. */
  const SUBJECT = /^- \*\*\w+:\*\* (?<metrics>.+)$/gm;

  const own = (): Family[] => families.filter(({ name }) => name.startsWith(PREFIX));

  function metricWithLabels({ name, type, samples }: Family): string {
    const metric = `${name.slice(PREFIX.length)}${type === 'counter' ? '_total' : ''}`;
    const names = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    names.delete('le');
    return names.size === 0 ? metric : `${metric}{${[...names].join(',')}}`;
  }

  test('lists each metric with its labels', () => {
    const listed = [...section.matchAll(SUBJECT)].flatMap(({ groups }) =>
      [...groups!['metrics']!.matchAll(/`([^`]+)`/g)].map(([, metric]) => metric!),
    );
    expect(listed.toSorted()).toEqual(own().map(metricWithLabels).toSorted());
  });

  test('leaves their meanings to the scrape: each is a sentence there', () => {
    expect(
      own()
        .filter(({ help }) => !/^[A-Z1].+\.$/.test(help))
        .map(({ name }) => name),
    ).toEqual([]);
  });
});
