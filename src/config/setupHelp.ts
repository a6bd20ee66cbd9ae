import { commandLine, IS_PACKAGED, START } from '../process/commands.ts';

/** Tells people what to do next after a first start without a configuration. */
export function setupHelp(): string {
  return `
The service needs an account that pays the network fees of the payments it settles.
${IS_PACKAGED ? '' : LOCAL_NETWORK}
On the Stellar testnet:
  ${commandLine('accounts')} create      makes an account, has it funded by friendbot, and writes its key to submitters.env
  SUBMITTER_SECRET_FILE=submitters.env ${START}
`;
}

const LOCAL_NETWORK = `
On a local network, with nothing but this folder:
  npm run sandbox          in another terminal; it prints the lines to paste
`;
