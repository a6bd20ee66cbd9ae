/** Says how to use a sandbox: its accounts, and the commands to paste. */
import { PROTOCOLS } from './host/instance.ts';
import { KNOWN_ACCOUNTS, knownKey } from './knownAccounts.ts';
import type { Sandbox } from './server.ts';
import type { Settings } from './settings.ts';

const LABEL_CHARS = 12;
const NEWEST = PROTOCOLS.at(-1)!;

export function instructions(
  sandbox: Sandbox,
  { ledgerMs, stateFile }: Settings,
  certificateFile: string,
): string {
  const { url, httpsUrl, network } = sandbox;
  const pace = ledgerMs === 0 ? `only on: curl -X POST ${url}/close` : `every ${ledgerMs} ms`;
  const upgrade = `; the newest: curl -X POST '${url}/upgrade?protocol=${NEWEST}'`;
  // The pages' examples are for testnet.
  const isTestnet = network.name === 'testnet';
  return `Local Stellar network (${network.name}'s passphrase and USDC; nothing here has value)
  RPC      ${url} and ${httpsUrl}
  ledgers  close ${pace}; the latest is ${network.latestLedger}
  protocol ${network.protocol}${network.protocol === NEWEST ? '' : upgrade}
  state    ${stateFile === undefined ? 'is lost at the end; --state <file> keeps it' : `is kept in ${stateFile}`}

Accounts, each with 10,000 XLM. Everybody knows their keys, which are good only here.
${accounts()}

Start the service:
  RPC_URL=${url} NETWORK=stellar:${network.name} DB_PATH=:memory: SUBMITTER_SECRET=${secret('submitter 1')} npx stellar-facilitator

Start a seller (first save the code at the top of docs/seller.md as seller.mjs${isTestnet ? '' : `, and write stellar:${network.name} in it`}):
  PAY_TO=${knownKey('seller 1').publicKey()} node seller.mjs

Buy from it (buyer.mjs is in docs/buyer.md${isTestnet ? '' : `, which says what to write for ${network.name}`}; stock clients want https, and must trust this certificate):
  NODE_EXTRA_CA_CERTS=${certificateFile} STELLAR_RPC_URL=${httpsUrl} CLIENT_STELLAR_PRIVATE_KEY=${secret('buyer 1')} node buyer.mjs

Check what an agent could buy (docs/agent.md):
  RPC_URL=${url} NETWORK=stellar:${network.name} CLIENT_STELLAR_PRIVATE_KEY=${secret('agent')} npx stellar-facilitator-mcp --check

More (README.md lists all):
  curl '${url}/friendbot?addr=G…'                   gives another account 10,000 XLM
  curl '${url}/mint?addr=G…&amount=100000000'       gives it 10 USDC; a seller needs this once
  curl '${url}/balance?addr=G…'                     shows its balances
  curl -X POST '${url}/advance?ledgers=12'          closes 12 ledgers at once
  curl -X POST ${url}/reset                         puts these accounts back, and removes all others

Ctrl-C stops it.`;
}

const secret = (label: string): string => knownKey(label).secret();

function accounts(): string {
  return KNOWN_ACCOUNTS.map(({ label, key, usdc }) => {
    const purse = usdc === undefined ? '' : `  ${usdc / 10_000_000n} USDC`;
    return `  ${label.padEnd(LABEL_CHARS)} ${key.publicKey()} ${key.secret()}${purse}`;
  }).join('\n');
}
