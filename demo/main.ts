/** `npm run demo`: a payment from 402 to receipt on a local network, a purchase by search, and three refusals. */
import { tellDiscovery } from './discovery.ts';
import { keepRunning } from './keep.ts';
import { tellRefusals } from './refusals.ts';
import { openStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { tellStory } from './story.ts';
import { bad, good, line, title } from './terminal.ts';

const EXIT_FAILED = 1;
/** sysexits' EX_USAGE. */
const EXIT_USAGE = 64;

process.exit(await main(process.argv.slice(2)));

/** The exit code. */
async function main(args: string[]): Promise<number> {
  const keep = args.length === 1 && args[0] === '--keep';
  if (args.length > 0 && !keep) {
    console.error('usage: npm run demo [-- --keep]');
    return EXIT_USAGE;
  }
  await using stage = await openStage();
  try {
    await perform(stage, keep);
    return 0;
  } catch (error) {
    console.error(`\n${bad('The demo failed:')} ${(error as Error).message}`);
    console.error(["The facilitator's log:", ...stage.facilitator.log].join('\n'));
    return EXIT_FAILED;
  }
}

async function perform(stage: Stage, keep: boolean): Promise<void> {
  const paid = await tellStory(stage);
  await tellDiscovery(stage);
  await tellRefusals(stage, paid);
  title(good(`Done in ${process.uptime().toFixed(1)} s. Every claim above was checked.`));
  if (keep) await keepRunning(stage, paid);
  else line('npm run demo -- --keep leaves everything running, with curl lines to try.');
}
