/** `npm run demo -- --keep`: what to try while everything runs. */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownKey } from '../sandbox/knownAccounts.ts';
import { TOOL_SERVER } from './agent.ts';
import { readAuthorization } from './authorization.ts';
import type { Stage } from './stage.ts';
import { QUESTION } from './discovery.ts';
import { CITY, type SentPayment } from './story.ts';
import { fact, line, print, title } from './terminal.ts';

/** How long the payment in the file stays good. */
const FRESH_PAYMENT_SECONDS = 3_600;

/** Prints the addresses and lines to paste, then the facilitator's log, until Ctrl-C or SIGTERM. */
export async function keepRunning(stage: Stage, { paymentRequirements }: SentPayment): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'x402-demo-'));
  // However the process ends, also without a reader.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'payment.json');
  const terms = { ...paymentRequirements, maxTimeoutSeconds: FRESH_PAYMENT_SECONDS };
  const fresh: SentPayment = { paymentPayload: await stage.buyer.sign(terms), paymentRequirements: terms };
  await writeFile(file, JSON.stringify({ x402Version: 2, ...fresh }, null, 2));
  const stopped = untilStopped();
  tellWhatToTry(stage, { file, lastLedger: readAuthorization(fresh.paymentPayload).expirationLedger });
  stage.facilitator.followLog(print);
  await stopped;
}

function tellWhatToTry(
  { facilitator, seller, sandbox, cast }: Stage,
  payment: { file: string; lastLedger: number },
): void {
  const post = `curl -s -H 'content-type: application/json' --data @${payment.file}`;
  title('Everything keeps running');
  fact('seller', seller.url);
  fact('facilitator', facilitator.url);
  fact('network', sandbox.url);

  title('To try in another terminal');
  line(`curl -i '${seller.url}?city=${CITY}'`);
  line(`curl -s ${facilitator.url}/supported`);
  line(`curl -s ${facilitator.url}/health`);
  line(`curl -s '${sandbox.url}/balance?addr=${cast.seller.publicKey()}'`);
  line(`curl -s '${facilitator.url}/discovery/resources?payTo=${cast.seller.publicKey()}'`);
  line(`curl -s '${facilitator.url}/discovery/search?query=${encodeURIComponent(QUESTION)}'`);
  line();
  line(
    `A fresh signed payment, good until ledger ${payment.lastLedger}: verify it, settle it, then do both again.`,
  );
  line(`${post} ${facilitator.url}/verify`);
  line(`${post} ${facilitator.url}/settle`);

  title("For your agent's host: the tool server with a funded wallet (docs/agent.md)");
  print(JSON.stringify(hostSettings(facilitator.url, sandbox.url), null, 2));

  title("Ctrl-C stops it. The facilitator's log:");
}

/** Hosts read `mcpServers`. The wallet is a known one, whose key is refused wherever money is real. */
function hostSettings(facilitatorUrl: string, rpcUrl: string): object {
  const env = {
    FACILITATOR_URL: facilitatorUrl,
    RPC_URL: rpcUrl,
    CLIENT_STELLAR_PRIVATE_KEY: knownKey('agent').secret(),
    SVC_MCP_MAX_AMOUNT: '1000000',
    SVC_MCP_SESSION_BUDGET: '5000000',
  };
  return { mcpServers: { 'paid-resources': { command: process.execPath, args: [TOOL_SERVER], env } } };
}

function untilStopped(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Once: a second signal ends the process at once, as it does by default.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  return promise;
}
