import { COMMANDS } from '../../process/commands.ts';
import { DEFAULT_OUT, MAX_COUNT } from './command.ts';

export const HELP = `Makes submitter accounts for the facilitator, and shows what they have.

Usage:
  ${COMMANDS.accounts} create [--count <n>] [--out <file>] [--starting-balance <XLM>]
  ${COMMANDS.accounts} create --resume <file> [--starting-balance <XLM>]
  ${COMMANDS.accounts} list [--file <file>] [--json]

create  makes keys, writes the line SUBMITTER_SECRET=… into a new file that only you can read (mode 600), then has the
        accounts funded: from FUNDER_SECRET where that is set, else (testnet only) by friendbot. Shows public addresses
        only.
  --count <n>               accounts to make, 1 to ${MAX_COUNT}; 1 unless given
  --out <file>              the file for the keys, ${DEFAULT_OUT} unless given; a file that exists is never touched
  --starting-balance <XLM>  what the funder gives each account, 5 unless given; 1 of it stays as the reserve
  --resume <file>           goes on where an earlier run ended: funds the accounts of that file that the network does
                            not have, and makes no keys

list    shows balance, sequence number and how many settlements each account can still pay for, of the accounts in
        SUBMITTER_SECRET and FEE_BUMP_SECRET, and of those in a file.
  --file <file>             a file with the line SUBMITTER_SECRET=…, and perhaps FEE_BUMP_SECRET=…
  --json                    for programs

Environment, as for the service: NETWORK, RPC_URL, SUBMITTER_SECRET, FEE_BUMP_SECRET, MAX_TRANSACTION_FEE_STROOPS.
  FUNDER_SECRET              secret key (S…) of the account that pays for new ones; never on the command line
  FUNDER_SECRET_FILE         a file that holds it; SUBMITTER_SECRET_FILE and FEE_BUMP_SECRET_FILE as for the service
  MAX_INCLUSION_FEE_STROOPS  what it offers at most for each account that is made, 10000 unless set; the network takes
                             100 as a rule

Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration.`;
