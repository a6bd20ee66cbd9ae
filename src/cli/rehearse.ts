import { isRecipient } from '../stellar/addresses.ts';
import { action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';

export const rehearse: Command = {
  name: 'rehearse',
  summary: 'Tries the configuration before the service goes live',
  usage: [
    '--network testnet|pubnet [--json]',
    '--network testnet|pubnet --pay --to <address> [--asset <asset>] [--json]',
  ],
  details: `It reads the same environment as the service, and looks at each RPC node (network, protocol, ledgers), this machine's
clock, the balances of the submitters, the network's fees, and the files. It settles nothing unless you give --pay.

  --network <name>  must match NETWORK, so that you do not rehearse on the wrong network
  --pay             makes ONE REAL PAYMENT of one base unit, by the account of REHEARSE_PAYER_SECRET, or of the file that
                    REHEARSE_PAYER_SECRET_FILE names. Stop a service that uses the same submitters first.
  --to <address>    the recipient (G…, C…, M… or W…)
  --asset <asset>   the asset to pay with: USDC (the default), EURC, PYUSD, XLM, or a contract (C…)
  --json            prints JSON, for programs

Exit codes: 0 the service can start, 1 it would not work, 64 wrong usage, 78 wrong configuration.`,
  action: action({
    options: {
      network: { type: 'string' },
      pay: { type: 'boolean' },
      to: { type: 'string' },
      asset: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
    async run({ values: { network, pay, to, asset, json } }, context) {
      if (network === undefined) throw wrongUsage('--network is missing: testnet or pubnet');
      if (pay && (to === undefined || !isRecipient(to)))
        throw wrongUsage('--pay needs --to and a Stellar address');
      if (!pay && (to !== undefined || asset !== undefined))
        throw wrongUsage('--to and --asset belong to --pay');
      const name = network.startsWith('stellar:') ? network : `stellar:${network}`;
      const { runRehearsal } = await import('./rehearse/rehearsal.ts');
      return runRehearsal({ network: name, payTo: to, asset, json }, context);
    },
  }),
};
