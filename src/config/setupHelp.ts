import { commandLine, START } from '../process/commands.ts';

/** Tells people what to do next after a first start without a configuration. */
export const setupHelp = (): string => `
The service needs an account that pays the network fees of the payments it settles.

On a local network, which needs nothing else:
  ${commandLine('sandbox')}      in another terminal; it prints the lines to paste

On the Stellar testnet:
  ${commandLine('accounts')} create      makes an account, has it funded by friendbot, and writes its key to submitters.env
  SUBMITTER_SECRET_FILE=submitters.env ${START}
`;
