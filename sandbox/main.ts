/** `npm run sandbox`: serves a local Stellar network until you stop it, and prints how to use it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { PROTOCOLS } from './host/instance.ts';
import { PUBLIC_NETWORKS, type NetworkName } from './networks.ts';
import { STARTING_BALANCE_STROOPS } from './protocol.ts';
import { startSandbox, type Sandbox } from './server.ts';

/** https is served on the port after this one. */
const DEFAULT_PORT = 8_000;
const MAX_PORT = 65_534;
const DEFAULT_LEDGER_MS = 5_000;
const MAX_LEDGER_MS = 600_000;
const EXIT_FAILED = 1;
const EXIT_BAD_CONFIGURATION = 78;

const problems: string[] = [];
if (process.argv.length > 2)
  problems.push(
    'npm run sandbox takes no arguments: set SANDBOX_PORT, SANDBOX_LEDGER_MS, SANDBOX_PROTOCOL and SANDBOX_NETWORK',
  );
const port = readInteger('SANDBOX_PORT', DEFAULT_PORT, MAX_PORT);
const ledgerMs = readInteger('SANDBOX_LEDGER_MS', DEFAULT_LEDGER_MS, MAX_LEDGER_MS);
const NEWEST = PROTOCOLS.at(-1)!;
const protocol = Number(readChoice('SANDBOX_PROTOCOL', PROTOCOLS.map(String).toReversed()));
const network = readChoice('SANDBOX_NETWORK', Object.keys(PUBLIC_NETWORKS)) as NetworkName;
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(EXIT_BAD_CONFIGURATION);
}

const sandbox = await start();
const submitter = Keypair.random();
sandbox.network.createAccount(submitter.publicKey(), STARTING_BALANCE_STROOPS);
const folder = await mkdtemp(join(tmpdir(), 'stellar-sandbox-'));
const certificateFile = join(folder, 'ca.pem');
await writeFile(certificateFile, sandbox.caCertificate);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
console.log(instructions(sandbox, submitter.secret(), certificateFile));

function readInteger(name: string, byDefault: number, max: number): number {
  const text = process.env[name] ?? '';
  if (text === '') return byDefault;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max) problems.push(`${name} must be an integer from 0 to ${max}`);
  return value;
}

/** The first choice is the default. */
function readChoice(name: string, choices: readonly string[]): string {
  const text = process.env[name] || choices[0]!;
  if (!choices.includes(text)) problems.push(`${name} must be ${choices.join(' or ')}`);
  return text;
}

async function start(): Promise<Sandbox> {
  try {
    return await startSandbox({
      port,
      httpsPort: port === 0 ? 0 : port + 1,
      ledgerMs,
      protocol,
      network,
    });
  } catch (error) {
    const { code, port: taken, message } = error as NodeJS.ErrnoException & { port?: number };
    const inUse = `port ${taken} is in use; set SANDBOX_PORT to another (it and the next one are needed)`;
    console.error(code === 'EADDRINUSE' ? inUse : `the sandbox did not start: ${message}`);
    process.exit(EXIT_FAILED);
  }
}

async function stop(): Promise<void> {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
}

function instructions({ url, httpsUrl }: Sandbox, submitterSecret: string, caFile: string): string {
  const pace = ledgerMs === 0 ? `only on: curl -X POST ${url}/close` : `every ${ledgerMs} ms`;
  return `Local Stellar network (${network}'s passphrase and USDC; nothing here has value)
  RPC      ${url} and ${httpsUrl}
  ledgers  close ${pace}
  protocol ${protocol}${protocol === NEWEST ? '' : `; the newest: curl -X POST '${url}/upgrade?protocol=${NEWEST}'`}

Run the facilitator against it (the key is good only on this network; its account has 10,000 XLM):
  RPC_URL=${url} NETWORK=stellar:${network} SUBMITTER_SECRET=${submitterSecret} npm start

Give a buyer lumens, then 10 USDC (G… is the buyer's address; a seller needs the same once):
  curl '${url}/friendbot?addr=G…'
  curl '${url}/mint?addr=G…&amount=100000000'
  curl '${url}/balance?addr=G…'                    shows its balances

Make a key pair for a buyer or a seller (prints address and secret):
  npx node -e "const k = require('@stellar/stellar-sdk').Keypair.random(); console.log(k.publicKey(), k.secret())"

Stock x402 clients refuse an http RPC. Give them ${httpsUrl} and this certificate to trust:
  NODE_EXTRA_CA_CERTS=${caFile}

Ctrl-C stops it.`;
}
