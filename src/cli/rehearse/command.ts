import { parseArgs } from 'node:util';
import { COMMANDS } from '../../process/commands.ts';
import { containsSecretKey } from '../../config/secretKeys.ts';
import { isRecipient } from '../../stellar/addresses.ts';

export interface Command {
  /** The network that the operator means; it must be that of the configuration. */
  readonly network: string;
  /** The recipient of a real payment; undefined to make none. */
  readonly payTo: string | undefined;
  /** C…; the network's USDC unless given. */
  readonly asset: string | undefined;
  readonly json: boolean;
}

export const HELP = `Tries the configuration before the service goes live. It settles nothing unless you give --pay.

Usage:
  ${COMMANDS.rehearse} --network testnet|pubnet [--json]
  ${COMMANDS.rehearse} --network testnet|pubnet --pay --to <address> [--asset <C…>] [--json]

It reads the same environment as the service, and looks at each RPC node (network, protocol, ledgers), this machine's
clock, the balances of the submitters, the network's fees, and the files. It exits with 1 if the service would not work.

  --network <name>  must match NETWORK, so that you do not rehearse on the wrong network
  --pay             makes ONE REAL PAYMENT of one base unit, by the account of REHEARSE_PAYER_SECRET, or of the file that
                    REHEARSE_PAYER_SECRET_FILE names. Stop a service that uses the same submitters first.
  --to <address>    the recipient (G…, C…, M… or W…)
  --asset <C…>      the asset to pay with; USDC by default
  --json            prints JSON, for programs
`;

/** Reads the command line. If it is wrong, `problem` says why. */
export function parseCommand(args: readonly string[]): Command | 'help' | { problem: string } {
  if (args.some(containsSecretKey))
    return {
      problem:
        'a secret key is on the command line, where others can see it: stop using it, and take another',
    };
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        network: { type: 'string' },
        pay: { type: 'boolean' },
        to: { type: 'string' },
        asset: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }));
  } catch (error) {
    return { problem: (error as Error).message };
  }
  const { network, pay = false, to, asset, json = false, help } = values;
  if (help) return 'help';
  if (network === undefined) return { problem: '--network is missing: testnet or pubnet' };
  if (pay && (to === undefined || !isRecipient(to)))
    return { problem: '--pay needs --to and a Stellar address' };
  if (!pay && (to !== undefined || asset !== undefined))
    return { problem: '--to and --asset belong to --pay' };
  const name = network.startsWith('stellar:') ? network : `stellar:${network}`;
  return { network: name, payTo: pay ? to : undefined, asset, json };
}
