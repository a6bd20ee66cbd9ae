import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { startServer as startMeasured, type MeasuredServer } from './measuredServer.ts';
import { openNetwork, type Network } from './network.ts';
import { openPayments, type Payments } from './payments.ts';

const SERVERS = {
  ours: { name: 'this service', module: 'facilitator.ts' },
  peer: { name: '@x402/stellar 2.9.0', module: 'peer.ts' },
} as const;

/** Something of this service, and the same of the peer. */
export interface Pair<Thing> {
  ours: Thing;
  peer: Thing;
}
export const SIDES = ['ours', 'peer'] as const;
export type Side = (typeof SIDES)[number];

/** A network, and payments to send to the facilitators that are started on it. */
export interface Field extends AsyncDisposable {
  network: Network;
  payments: Payments;
  startServer(side: Side, options: ServerOptions): Promise<MeasuredServer>;
  /** Makes accounts that can submit, and returns their secret keys. */
  makeSubmitters(count: number): Promise<string[]>;
  /** Starts both servers. */
  startServers(options: ServerOptions): Promise<Servers>;
}

export interface ServerOptions {
  /** The number of its submitters, all of them new, or the keys that it shares with others. */
  submitters: number | readonly string[];
  /** The database that it shares with others; files of its own otherwise. */
  databaseUrl?: string;
  connections: number;
  rpcUrl?: string;
  heapMib?: number;
  /** Counts what it does, and is scraped. */
  hasMetrics?: boolean;
  /** Settlements that its journal keeps, unless as many as usual. */
  settlementsKept?: number;
  /** It sends its spans there; without a URL it makes none. */
  collectorUrl?: string;
  /** Puts what it needs into the folder where it keeps its files. */
  fill?: (folder: string) => void;
}

export interface Servers extends Pair<MeasuredServer>, AsyncDisposable {}

export async function openField({ ledgerMs }: { ledgerMs: number }): Promise<Field> {
  await using stack = new AsyncDisposableStack();
  const parent = stack.adopt(temporaryFolder(), removeFolder);
  const network = stack.use(await openNetwork(ledgerMs));
  const payments = await openPayments(network);

  async function makeSubmitters(count: number): Promise<string[]> {
    const keys = Array.from({ length: count }, () => Keypair.random());
    for (const key of keys) await network.fund(key.publicKey());
    return keys.map((key) => key.secret());
  }

  async function startServer(
    side: Side,
    {
      submitters,
      rpcUrl = network.url,
      hasMetrics = false,
      fill,
      connections,
      heapMib,
      ...given
    }: ServerOptions,
  ): Promise<MeasuredServer> {
    const submitterSecrets =
      typeof submitters === 'number' ? await makeSubmitters(submitters) : [...submitters];
    const folder = mkdtempSync(join(parent, side));
    fill?.(folder);
    const setup = {
      rpcUrl,
      sandboxHttpsUrl: network.httpsUrl,
      certificate: network.certificate,
      submitterSecrets,
      folder,
      hasMetrics,
      ...given,
    };
    return startMeasured(SERVERS[side], setup, { connections, ...(heapMib !== undefined && { heapMib }) });
  }

  async function startServers(options: ServerOptions): Promise<Servers> {
    await using started = new AsyncDisposableStack();
    const servers = {
      ours: started.use(await startServer('ours', options)),
      peer: started.use(await startServer('peer', options)),
    };
    const running = started.move();
    return { ...servers, [Symbol.asyncDispose]: () => running.disposeAsync() };
  }

  const open = stack.move();
  return {
    network,
    payments,
    makeSubmitters,
    startServer,
    startServers,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Is gone when this process is, however it ends. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => removeFolder(folder));
  return folder;
}
