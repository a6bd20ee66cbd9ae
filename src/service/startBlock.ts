import { rpcOrigins, type Config } from '../config/config.ts';
import type { Log } from '../log/log.ts';
import { VERSION } from '../process/version.ts';
import { within, type FeeBumpState, type SchemeState } from '../scheme/index.ts';
import type { Service } from '../service.ts';

/** The start is shown after this time at the latest, perhaps without balances. */
const BALANCES_WITHIN_MS = 1_000;
/** A service may have a thousand accounts. The first are shown, and how many there are. */
const MAX_SHOWN_ACCOUNTS = 20;
const STROOPS_PER_LUMEN = 10_000_000;

/** Logs in one line what has started, where, and how to try it. Nothing else waits for it; never throws. */
export async function logStarted(
  { config, log }: { config: Config; log: Log },
  { url, operatorPort, scheme }: Pick<Service, 'url' | 'operatorPort' | 'scheme'>,
  stopping: AbortSignal,
): Promise<void> {
  const areRead = await readBalances(scheme);
  if (stopping.aborted) return;
  const all = accountsOf(scheme.state(), areRead);
  const accounts = all.slice(0, MAX_SHOWN_ACCOUNTS);
  const fields = {
    version: VERSION,
    network: config.network,
    nodes: rpcOrigins(config).split(','),
    accounts,
    ...(all.length > accounts.length && { accountsInAll: all.length }),
    url,
    operatorPort,
    try: curlFor(config, url),
  };
  log.info(fields, 'started');
}

/** Returns true if the RPC has told the balances in time. */
async function readBalances(scheme: Service['scheme']): Promise<boolean> {
  const reading = scheme.readBalances().then(
    () => true,
    () => false,
  );
  return (await within(reading, BALANCES_WITHIN_MS)) ?? false;
}

interface ShownAccount {
  readonly address: string;
  readonly role: 'submitter' | 'fee account';
  readonly balanceXlm?: string;
}

/** Once the balances are read, an account without one does not exist: it has nothing. */
function accountsOf({ accounts, feeBump }: SchemeState, areRead: boolean): ShownAccount[] {
  const shown =
    (role: ShownAccount['role']) =>
    ({ address, balanceStroops = 0 }: FeeBumpState): ShownAccount => ({
      address,
      role,
      ...(areRead && { balanceXlm: lumensOf(balanceStroops) }),
    });
  return [
    ...(feeBump === undefined ? [] : [feeBump]).map(shown('fee account')),
    ...accounts.map(shown('submitter')),
  ];
}

const lumensOf = (stroops: number): string => String(stroops / STROOPS_PER_LUMEN);

function curlFor({ callers }: Config, url: string): string {
  const key = callers.discoveryNeedsKey ? '-H "Authorization: Bearer $KEY" ' : '';
  return `curl ${key}${url}/supported`;
}
