import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';

/** Prometheus' own checker; undefined if this machine has none. */
export const promtool = (process.env['PATH'] ?? '')
  .split(':')
  .map((folder) => join(folder, 'promtool'))
  .find((path) => existsSync(path));

export const RULES = resolve('ops/alerts.yaml');

/** Runs it, and returns what it prints. Throws with what it prints if it finds something. */
export function runPromtool(args: readonly string[], input = ''): string {
  try {
    return execFileSync(promtool!, args, { input, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(stdout + stderr, { cause: error });
  }
}

/** Series by name, as promtool writes their values: one every five seconds. */
export type Series = Readonly<Record<string, string>>;

/** Checks which alerts fire, and no others, at a time such as `90s`. Throws if they are not these. */
export function expectFiring(series: Series, at: string, alerts: readonly string[]): void {
  const test = {
    rule_files: [RULES],
    evaluation_interval: '5s',
    tests: [
      {
        interval: '5s',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: at,
            exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
          },
        ],
      },
    ],
  };
  const file = join(temporaryFolder(), 'test.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(test));
  runPromtool(['test', 'rules', file]);
}
