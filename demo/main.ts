/**
 * `npm run demo`: a payment from 402 to receipt on a local network, a purchase by search, and three refusals; with
 * `--agent` what an agent does with the tool server alone; with `--wallets` payments by contract accounts.
 */
import { parseArgs } from 'node:util';
import { argumentProblem } from '../src/process/argumentProblem.ts';
import { commandLine } from '../src/process/commands.ts';
import { EXIT_FAILED, EXIT_USAGE } from '../src/process/exitCodes.ts';
import { tellAgent } from './agent.ts';
import { tellDiscovery } from './discovery.ts';
import { keepRunning } from './keep.ts';
import { tellRefusals } from './refusals.ts';
import { openStage, type Stage } from './stage.ts';
import { tellStory } from './story.ts';
import { bad, fact, good, takeOutput, title } from './terminal.ts';
import { tellWallets } from './wallets.ts';

/** The command line of this program. */
const DEMO = commandLine('demo');

type Performance = (stage: Stage) => Promise<void>;
const PERFORMANCES: Readonly<Record<string, Performance>> = {
  '': (stage) => perform(stage, false),
  '--keep': (stage) => perform(stage, true),
  '--agent': performAgent,
  '--wallets': performWallets,
};

const HELP = `Shows payments on a local network of its own, from the 402 to the receipt, a purchase by search, and three refusals.
It needs no accounts and no settings, and nothing leaves the machine.

Usage:
  ${DEMO} [--keep | --agent | --wallets]

  --keep     leaves everything running until Ctrl-C, and prints what to try, and the settings of an agent
  --agent    shows an agent that finds what it needs, and pays for it
  --wallets  pays from contract accounts

Environment: FORCE_COLOR and NO_COLOR, as usual.

Exit codes: 0 done, 1 failed, 64 wrong usage.`;

/** The exit code. */
async function main(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return 0;
  }
  const given = args.join(' ');
  const performance = Object.hasOwn(PERFORMANCES, given) ? PERFORMANCES[given] : undefined;
  if (performance === undefined) {
    console.error(`${wrongUsage(args)}\nSee: ${DEMO} --help`);
    return EXIT_USAGE;
  }
  takeOutput();
  await using stage = await openStage();
  try {
    await performance(stage);
    return 0;
  } catch (error) {
    console.error(`\n${bad('The demo failed:')} ${(error as Error).message}`);
    console.error(["The facilitator's log:", ...stage.facilitator.log].join('\n'));
    return EXIT_FAILED;
  }
}

/** Says what is wrong with arguments that name no performance. */
function wrongUsage(args: string[]): string {
  const isFlag = { type: 'boolean' } as const;
  try {
    parseArgs({ args, options: { keep: isFlag, agent: isFlag, wallets: isFlag } });
    return 'Give only one of --keep, --agent and --wallets';
  } catch (error) {
    return argumentProblem(error);
  }
}

async function perform(stage: Stage, keep: boolean): Promise<void> {
  const paid = await tellStory(stage);
  await tellDiscovery(stage);
  await tellRefusals(stage, paid);
  tellDone();
  if (keep) return keepRunning(stage, paid.payment);
  title('What to read next');
  fact('get paid', 'docs/seller.md');
  fact('buy', `docs/buyer.md, or docs/agent.md for AI agents: ${DEMO} --agent`);
  fact('run it', 'docs/operator.md');
  fact('try it', `${DEMO} --keep leaves everything running`);
}

async function performAgent(stage: Stage): Promise<void> {
  await tellAgent(stage);
  tellDone();
  title('What to read next');
  fact('your agent', 'docs/agent.md tells how to connect it to the tool server');
}

async function performWallets(stage: Stage): Promise<void> {
  await tellWallets(stage);
  tellDone();
  title('What to read next');
  fact('buy', 'docs/buyer.md');
  fact('limits', 'docs/strangers.md tells what failing payers may cost');
}

function tellDone(): void {
  title(good(`Done in ${process.uptime().toFixed(1)} s. Every claim above was checked.`));
}

process.exit(await main(process.argv.slice(2)));
