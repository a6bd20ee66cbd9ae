// Clients from openapi.yaml as it is: generated, compiled, and tried against the running service.
//
//   npm run sdk                 with every toolchain that this machine has
//   npm run sdk -- go python    with these
//
// The clients stay in build/sdk until the next run. README.md says how to make one for a project of one's own.
import { join } from 'node:path';
import { openFilledService } from '../test/support/filledService.ts';
import { findMissing, keptIn, run, type Outcome } from './run.ts';
import { toolchains, type Toolchain } from './toolchains.ts';

/** Slow ledgers, so that a payment does not expire while its client starts. */
const LEDGER_MS = 1000;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !toolchains.some((toolchain) => toolchain.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(', ')}; there are ${toolchains.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(1);
}
const chosen = toolchains.filter(({ name }) => names.length === 0 || names.includes(name));
const missing = new Map<Toolchain, string>();
for (const toolchain of chosen) missing.set(toolchain, await findMissing(toolchain));
// What was asked for by name is not skipped.
const impossible = names.length > 0 ? chosen.filter((toolchain) => missing.get(toolchain)) : [];
if (impossible.length > 0) {
  for (const toolchain of impossible) console.error(`${toolchain.name} needs ${missing.get(toolchain)}.`);
  process.exit(1);
}

await using service = await openFilledService({ ledgerMs: LEDGER_MS, needsKey: true });
const outcomes: Outcome[] = [];
for (const toolchain of chosen) {
  const outcome = await run(toolchain, missing.get(toolchain)!, service);
  outcomes.push(outcome);
  console.log([`${toolchain.name}: ${outcome.result}`, outcome.why].filter(Boolean).join('\n'));
}
console.log(`\n${tableOf(outcomes)}`);
process.exitCode = outcomes.some(({ result }) => result === 'FAILED') ? 1 : 0;

function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ toolchain, version, warnings, seconds, result }) => [
    toolchain.name,
    `${toolchain.generator} ${version}`,
    warnings?.toString() ?? '',
    seconds.toFixed(0),
    result.split(',')[0]!,
    result === 'ok' ? join(keptIn(toolchain), toolchain.client) : '',
  ]);
  const lines = [['Toolchain', 'Generator', 'Warnings', 'Seconds', 'Result', 'Client'], ...rows];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
