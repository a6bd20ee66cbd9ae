import type { Terminal } from '../accounts/failure.ts';
import { configure } from '../../config/config.ts';
import type { Config, Secrets } from '../../config/config.ts';
import { EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from '../../process/exitCodes.ts';
import { hiddenTexts } from '../../config/hiddenTexts.ts';
import { SILENT_LOG, withoutHidden } from '../../log/log.ts';
import { PASSPHRASES, USDC } from '../../stellar/networks.ts';
import { createRpc } from '../../stellar/rpc/pool.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { readSecretFiles } from '../../config/secretFiles.ts';
import { publicKeyOf, secretKeyProblem } from '../../config/secretKeys.ts';
import { checkAccounts } from './accounts.ts';
import { HELP, parseCommand } from './command.ts';
import type { Command } from './command.ts';
import { checkFees } from './fees.ts';
import { checkFiles } from './files.ts';
import { fail, warn } from './finding.ts';
import type { Finding } from './finding.ts';
import { checkNodes } from './nodes.ts';
import { pay } from './payment.ts';

const PAYER = 'REHEARSE_PAYER_SECRET';
const MARKS = { ok: 'ok   ', warn: 'warn ', fail: 'FAIL ' };

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Runs the command that the arguments ask for, and returns the exit code. Secrets never reach the terminal. */
export async function runRehearsal(
  args: readonly string[],
  environment: ProcessEnvironment,
  { say, note }: Terminal,
): Promise<number> {
  const command = parseCommand(args);
  if (command === 'help') {
    say(HELP);
    return 0;
  }
  if ('problem' in command) {
    note(`${command.problem}\n\n${HELP}`);
    return EXIT_USAGE;
  }
  const prepared = prepare(command, environment);
  if ('problems' in prepared) {
    note(prepared.problems.join('\n'));
    return EXIT_CONFIG;
  }
  const hidden = [...hiddenTexts(prepared.config, prepared.secrets), prepared.payerSecret ?? ''].filter(
    Boolean,
  );
  const findings: Finding[] = [];
  for await (const { text, ...found } of rehearse(command, prepared, environment)) {
    const finding = { ...found, text: withoutHidden(text, hidden) };
    findings.push(finding);
    if (!command.json) say(`${MARKS[finding.status]} ${finding.check}: ${finding.text}`);
  }
  const isReady = !findings.some(({ status }) => status === 'fail');
  if (command.json) say(JSON.stringify({ network: command.network, ready: isReady, findings }, null, 2));
  else say(isReady ? 'The service can start with these settings.' : 'Fix what is marked FAIL.');
  return isReady ? 0 : EXIT_FAILED;
}

interface Prepared {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly payerSecret: string | undefined;
}

function prepare(command: Command, environment: ProcessEnvironment): Prepared | { problems: string[] } {
  const configured = configure(environment);
  const payer = readSecretFiles(environment, [PAYER]);
  const problems = [...('problems' in configured ? configured.problems : []), ...payer.problems].map(
    ({ variable, text }) => `${variable} ${text}`,
  );
  const payerSecret = payer.secrets[PAYER] ?? environment[PAYER]?.trim();
  if (command.payTo !== undefined) {
    const problem =
      payerSecret === undefined
        ? 'is missing: --pay needs the secret key of the account that pays'
        : secretKeyProblem(payerSecret);
    if (problem !== null) problems.push(`${PAYER} ${problem}`);
  }
  if (problems.length > 0 || 'problems' in configured) return { problems };
  if (configured.config.network !== command.network) {
    return {
      problems: [
        `NETWORK is ${configured.config.network}, but --network says ${command.network}: nothing was done`,
      ],
    };
  }
  return { ...configured, payerSecret };
}

/** Makes cheap checks first. Stops after the nodes if one of them failed. */
async function* rehearse(
  { payTo, asset }: Command,
  { config, secrets, payerSecret }: Prepared,
  environment: ProcessEnvironment,
): AsyncGenerator<Finding> {
  yield* checkFiles(config.dbPath, environment);
  const nodes = await checkNodes(config.rpcUrls, config.network);
  yield* nodes;
  if (nodes.some(({ status }) => status === 'fail')) return;
  const rpc = createRpc(config.rpcUrls, {
    log: SILENT_LOG,
    now: () => performance.now(),
    passphrase: PASSPHRASES[config.network],
  });
  const findings = await checkAll(rpc, config, secrets).finally(() => rpc.close());
  yield* findings;
  if (payTo === undefined || payerSecret === undefined) return;
  // A payment that cannot settle would leave a signed authorization with the node.
  if (findings.some(({ status }) => status === 'fail'))
    yield warn('payment', 'was not made: mend first what failed');
  else
    yield await pay(
      config,
      secrets,
      { payerSecret, payTo, asset: asset ?? USDC[config.network] },
      SILENT_LOG,
    );
}

async function checkAll(rpc: Rpc, config: Config, secrets: Secrets): Promise<Finding[]> {
  const { submitterSecrets, feeBumpSecret } = secrets;
  const payers = {
    submitters: submitterSecrets.map(publicKeyOf),
    feeBump: feeBumpSecret === null ? undefined : publicKeyOf(feeBumpSecret),
  };
  try {
    return [...(await checkAccounts(rpc, payers, config)), ...(await checkFees(rpc, config))];
  } catch (error) {
    return [fail('RPC', `gave no usable answer: ${error instanceof Error ? error.message : String(error)}`)];
  }
}
