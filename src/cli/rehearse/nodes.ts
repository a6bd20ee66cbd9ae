import { SILENT_LOG } from '../../log/log.ts';
import { sightLedgers } from '../../stellar/ledgerClock.ts';
import { RPC_LIMITS } from '../../stellar/limits.ts';
import { PASSPHRASES, type Network } from '../../stellar/networks.ts';
import { createRpc, type Rpc } from '../../stellar/rpc/pool.ts';
import { NEWEST_PROTOCOL } from '../../stellar/protocol.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** A node that has not seen a ledger for this long is stuck. */
const STALE_SECONDS = 60;
/** Time bounds leave room only for a smaller clock error than this. */
const SKEW_SECONDS = 10;

/** Checks each node of the RPC on its own: its network, protocol and ledgers, and this machine's clock against them. */
export async function checkNodes(rpcUrls: readonly string[], network: Network): Promise<Finding[]> {
  const looks = await Promise.all(rpcUrls.map((url) => lookAt(url, network)));
  const ledgers = looks.flatMap(({ latestLedger }) => latestLedger ?? []);
  const latest = Math.max(...ledgers);
  const lagging = looks.filter(
    ({ latestLedger = latest }) => latest - latestLedger > RPC_LIMITS.maxLagLedgers,
  );
  return [
    ...looks.flatMap(({ findings }) => findings),
    ...lagging.map(({ name, latestLedger = 0 }) =>
      warn(
        name,
        `is ${latest - latestLedger} ledgers behind the others: the service skips it until it catches up`,
      ),
    ),
  ];
}

/** A node may report anything, so its text is cut. */
const MAX_SHOWN_CHARS = 100;

interface Look {
  readonly name: string;
  readonly findings: Finding[];
  readonly latestLedger?: number;
}

async function lookAt(url: string, network: Network): Promise<Look> {
  const name = `RPC ${new URL(url).host}`;
  const rpc = createRpc([url], { log: SILENT_LOG, now: () => performance.now() });
  try {
    const { passphrase, protocolVersion } = await rpc.call('getNetwork');
    if (passphrase !== PASSPHRASES[network]) {
      const text = `belongs to another network: its passphrase is ${JSON.stringify(passphrase.slice(0, MAX_SHOWN_CHARS))}. Name a node of ${network} in RPC_URL`;
      return { name, findings: [fail(name, text)] };
    }
    return { name, ...(await lookAtLedgers(rpc, name, protocolVersion)) };
  } catch (error) {
    return { name, findings: [fail(name, `gave no usable answer: ${textOf(error)}`)] };
  } finally {
    await rpc.close();
  }
}

async function lookAtLedgers(
  rpc: Rpc,
  name: string,
  protocol: number | undefined,
): Promise<Omit<Look, 'name'>> {
  const { latestLedger, latestLedgerCloseTime } = await sightLedgers(rpc);
  const behindSeconds = Math.round(Date.now() / 1000 - Number(latestLedgerCloseTime));
  return { latestLedger, findings: [ofProtocol(name, protocol), ofTime(name, latestLedger, behindSeconds)] };
}

function ofProtocol(name: string, protocol: number | undefined): Finding {
  if (protocol === undefined) return warn(name, 'does not report its protocol version');
  if (protocol > NEWEST_PROTOCOL)
    return warn(
      name,
      `runs protocol ${protocol}; this version of the service was written for up to ${NEWEST_PROTOCOL}. The service refuses payments that use what is new since then: look for a newer version of the service`,
    );
  return ok(name, `runs protocol ${protocol}`);
}

function ofTime(name: string, ledger: number, behindSeconds: number): Finding {
  if (behindSeconds > STALE_SECONDS)
    return fail(
      name,
      `closed its latest ledger ${behindSeconds} s ago: either the node is stuck, or this machine's clock is wrong`,
    );
  if (behindSeconds < -SKEW_SECONDS)
    return warn(name, `is ${-behindSeconds} s ahead of this machine's clock: set the clock (NTP)`);
  return ok(name, `has ledger ${ledger}, closed ${Math.max(0, behindSeconds)} s ago by this machine's clock`);
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
