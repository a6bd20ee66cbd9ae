import type { Config, Secrets } from '../../config/config.ts';
import { publicKeyOf } from '../../config/secretKeys.ts';
import { SILENT_LOG, withoutHidden } from '../../log/log.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { contractOfAsset } from '../../stellar/assets.ts';
import { PASSPHRASES } from '../../stellar/networks.ts';
import { createRpc, type Rpc } from '../../stellar/rpc/pool.ts';
import type { Context, ProcessEnvironment } from '../command.ts';
import { checkAccounts } from './accounts.ts';
import { checkDatabase } from './database.ts';
import { checkFees } from './fees.ts';
import { checkFiles } from './files.ts';
import { fail, warn, type Finding } from './finding.ts';
import { checkNodes } from './nodes.ts';
import { pay } from './payment.ts';
import { checkPorts } from './ports.ts';
import { readSettings, type Settings } from './settings.ts';

export interface RehearsalOrder {
  /** The network that the operator means; it must be that of the configuration. */
  readonly network: string;
  /** The recipient of a real payment; undefined to make none. */
  readonly payTo: string | undefined;
  /** C…; the network's USDC unless given. */
  readonly asset: string | undefined;
  readonly json: boolean;
}

const MARKS = { ok: 'ok   ', warn: 'warn ', fail: 'FAIL ' };

/** Makes all checks and shows what each one finds. Returns the exit code, or throws a Failure. */
export async function runRehearsal(
  order: RehearsalOrder,
  { environment, terminal: { say } }: Context,
): Promise<number> {
  const { network, json, payTo } = order;
  const settings = readSettings(environment, { network, needsPayer: payTo !== undefined });
  const findings: Finding[] = [];
  for await (const { text, ...found } of check(order, settings, environment)) {
    const finding = { ...found, text: withoutHidden(text, settings.hidden) };
    findings.push(finding);
    if (!json) say(`${MARKS[finding.status]} ${finding.check}: ${finding.text}`);
  }
  const isReady = !findings.some(({ status }) => status === 'fail');
  if (json) say(JSON.stringify({ network, ready: isReady, findings }, null, 2));
  else say(isReady ? 'The service can start with these settings.' : 'Fix what is marked FAIL.');
  return isReady ? 0 : EXIT_FAILED;
}

/** Makes cheap checks first. Stops after the nodes if one of them failed. */
async function* check(
  { payTo, asset }: RehearsalOrder,
  { config, secrets, payerSecret }: Settings,
  environment: ProcessEnvironment,
): AsyncGenerator<Finding> {
  const local = [
    ...checkFiles(config.dbPath, environment),
    ...(await checkPorts(config)),
    ...(await checkDatabase(config, secrets)),
  ];
  yield* local;
  const nodes = await checkNodes(config.rpcUrls, config.network);
  yield* nodes;
  if (nodes.some(({ status }) => status === 'fail')) return;
  const rpc = createRpc(config.rpcUrls, {
    log: SILENT_LOG,
    now: () => performance.now(),
    passphrase: PASSPHRASES[config.network],
  });
  let findings: Finding[];
  try {
    findings = await checkLedger(rpc, config, secrets);
  } finally {
    await rpc.close();
  }
  yield* findings;
  if (payTo === undefined || payerSecret === undefined) return;
  // A payment that cannot settle would leave a signed authorization with the node.
  if ([...local, ...findings].some(({ status }) => status === 'fail'))
    yield warn('payment', 'was not made: first fix what failed');
  else
    yield await pay(
      config,
      secrets,
      { payerSecret, payTo, asset: contractOfAsset(asset ?? 'USDC', config.network) ?? asset! },
      SILENT_LOG,
    );
}

/** Checks the accounts and the fees, which takes a node that answers. */
async function checkLedger(rpc: Rpc, config: Config, secrets: Secrets): Promise<Finding[]> {
  const { submitterSecrets, feeBumpSecret } = secrets;
  const payers = {
    submitters: submitterSecrets.map(publicKeyOf),
    feeBump: feeBumpSecret === undefined ? undefined : publicKeyOf(feeBumpSecret),
  };
  try {
    return [...(await checkAccounts(rpc, payers, config)), ...(await checkFees(rpc, config))];
  } catch (error) {
    return [fail('RPC', `gave no usable answer: ${error instanceof Error ? error.message : String(error)}`)];
  }
}
