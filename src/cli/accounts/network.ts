import { EXIT_CONFIG, EXIT_FAILED } from '../../process/exitCodes.ts';
import { SILENT_LOG, withoutHidden } from '../../log/log.ts';
import { PASSPHRASES } from '../../stellar/networks.ts';
import { RpcFault } from '../../stellar/rpc/fault.ts';
import { createRpc, type Rpc } from '../../stellar/rpc/pool.ts';
import { Failure } from '../failure.ts';
import type { Settings } from './settings.ts';

/** The testnet's friendbot, used if the RPC does not name another. */
const TESTNET_FRIENDBOT_URL = 'https://friendbot.stellar.org/';

/** The network that the settings name, reached through its RPC. */
export interface AccountsNetwork {
  readonly rpc: Rpc;
  /** The service that gives test lumens away. */
  readonly friendbotUrl: URL;
}

type NetworkSettings = Pick<Settings, 'network' | 'rpcUrls' | 'hidden'>;

/** Makes sure that the RPC belongs to the network, and lets `work` use it. Turns a fault of the RPC into a Failure. */
export async function onNetwork<T>(
  settings: NetworkSettings,
  work: (network: AccountsNetwork) => Promise<T>,
): Promise<T> {
  const { network, rpcUrls, hidden } = settings;
  const rpc = createRpc(rpcUrls, { log: SILENT_LOG, now: () => performance.now() });
  try {
    const answers = await rpc.callEach('getNetwork');
    const said = answers.flatMap((answer) => (answer instanceof RpcFault ? [] : [answer]));
    const other = said.find(({ passphrase }) => passphrase !== PASSPHRASES[network]);
    if (other !== undefined) {
      const text = `RPC_URL belongs to another network than NETWORK, ${network}: its passphrase is "${other.passphrase}"`;
      throw new Failure(EXIT_CONFIG, withoutHidden(text, hidden));
    }
    const [first] = said;
    if (first === undefined) throw answers.find((answer): answer is RpcFault => answer instanceof RpcFault)!;
    return await work({ rpc, friendbotUrl: friendbotOf(first.friendbotUrl) });
  } catch (error) {
    throw failureOf(error, settings);
  } finally {
    await rpc.close();
  }
}

/** Turns a fault of the RPC into a Failure without secrets. Returns any other error as it is. */
export function failureOf(error: unknown, { hidden }: Pick<Settings, 'hidden'>): unknown {
  if (!(error instanceof RpcFault)) return error;
  const why = withoutHidden(error.message, hidden);
  return new Failure(EXIT_FAILED, `the RPC of RPC_URL does not answer as it should, try again later: ${why}`);
}

function friendbotOf(text: unknown): URL {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : new URL(TESTNET_FRIENDBOT_URL);
}
