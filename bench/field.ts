import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { startServer } from './measuredServer.ts';
import type { MeasuredServer } from './measuredServer.ts';
import { openNetwork } from './network.ts';
import type { Network } from './network.ts';
import { openPayments } from './payments.ts';
import type { Payments } from './payments.ts';

const SERVERS = {
  ours: { name: 'this service', module: 'facilitator.ts' },
  peer: { name: '@x402/stellar 2.9.0', module: 'peer.ts' },
} as const;

/** Of this service and of the peer that it is measured beside. */
export interface Pair<Thing> {
  ours: Thing;
  peer: Thing;
}
export const SIDES = ['ours', 'peer'] as const;
export type Side = (typeof SIDES)[number];

/** A network with both facilitators' submitters on it, and payments to send them. */
export interface Field extends AsyncDisposable {
  network: Network;
  payments: Payments;
  /** Starts both servers, each with so many submitters of its own. */
  startServers(options: { submitters: number; connections: number; rpcUrl?: string }): Promise<Servers>;
}

export interface Servers extends Pair<MeasuredServer>, AsyncDisposable {}

export async function openField({
  ledgerMs,
  submitters,
}: {
  ledgerMs: number;
  submitters: number;
}): Promise<Field> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(temporaryFolder(), removeFolder);
  const network = stack.use(await openNetwork(ledgerMs));
  const payments = await openPayments(network);
  const keys = {
    ours: Array.from({ length: submitters }, () => Keypair.random()),
    peer: Array.from({ length: submitters }, () => Keypair.random()),
  };
  for (const key of [...keys.ours, ...keys.peer]) await network.fund(key.publicKey());

  async function startServers({
    submitters,
    connections,
    rpcUrl = network.url,
  }: Parameters<Field['startServers']>[0]) {
    await using started = new AsyncDisposableStack();
    const start = async (side: Side): Promise<MeasuredServer> => {
      const setup = {
        rpcUrl,
        sandboxHttpsUrl: network.httpsUrl,
        certificate: network.certificate,
        submitterSecrets: keys[side].slice(0, submitters).map((key) => key.secret()),
        folder: mkdtempSync(join(folder, side)),
      };
      return started.use(await startServer(SERVERS[side], setup, connections));
    };
    const servers = { ours: await start('ours'), peer: await start('peer') };
    const running = started.move();
    return { ...servers, [Symbol.asyncDispose]: () => running.disposeAsync() };
  }

  const open = stack.move();
  return { network, payments, startServers, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Is gone when this process is, however it ends. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => removeFolder(folder));
  return folder;
}
