/**
 * Plays the answers recorded from the real Soroban host (test/recorded) against the sandbox: the same world, the
 * same requests, in the order in which they were recorded.
 */
import { readFileSync } from 'node:fs';
import { Keypair, TransactionBuilder, xdr } from '@stellar/stellar-sdk';
import { createNetwork, type Network } from '../../sandbox/network.ts';
import { createWallet, PASSPHRASE, transfer, XLM_10_000 } from './wallet.ts';

interface Exchange {
  request: { method: string; params?: unknown };
  response: { result?: any; error?: { code: number; message: string } };
}

export interface Scenario extends Exchange {
  name: string;
  /** In apply.json only. */
  send: Exchange;
  getTransactionWhilePending: string;
  getTransaction: Exchange;
  decoded: { balancesBefore: Balances; balancesAfter: Balances };
}

type Balances = Record<string, { xlm: string; usdc: string; sequence?: string | null }>;

export interface Played {
  file: string;
  name: string;
  recorded: Scenario;
  /** The answer to the request; of a settled transaction, to `getTransaction`. */
  answer: { result?: any; error?: { code: number; message: string } };
  send?: any;
  statusWhilePending?: string;
  balancesBefore?: Balances;
  balancesAfter?: Balances;
}

const USDC_1_000 = 10_000_000_000n;
const START_LEDGER = 1_000_000;

function load(file: string): any {
  return JSON.parse(readFileSync(new URL(`../recorded/${file}`, import.meta.url), 'utf8'));
}

interface World {
  network: Network;
  addresses: Record<string, string>;
  keypair(name: string): Keypair;
  /** Closes a ledger at the time, in seconds, at which the recording closed it. */
  closeAt(seconds: number): void;
}

function createWorld(protocol: number): World {
  const { addresses, seeds } = load('keys.json');
  const clock = { ms: Number(load('read.json').scenarios[0].response.result.latestLedgerCloseTime) * 1000 };
  const network = createNetwork({ protocol, now: () => clock.ms, startLedger: START_LEDGER });
  const usdc: Record<string, bigint | undefined> = {
    ...{
      payer: USDC_1_000,
      payee: USDC_1_000,
      submitter: undefined,
      submitter2: undefined,
      bumper: undefined,
    },
    ...{ thief: USDC_1_000, poor: 5n, bare: undefined, empty: 0n, full: 2n ** 63n - 1n },
  };
  for (const [name, amount] of Object.entries(usdc)) {
    network.createAccount(addresses[name], XLM_10_000);
    if (amount !== undefined) network.mint(addresses[name], amount);
  }
  network.mint(addresses.holder, 500n);
  return {
    network,
    addresses,
    keypair: (name) => Keypair.fromRawEd25519Seed(Buffer.from(seeds[name], 'hex')),
    closeAt(seconds) {
      clock.ms = seconds * 1000;
      network.closeLedger();
    },
  };
}

/** What the recorder did besides the recorded requests, before or after one of them. */
const UNRECORDED_BEFORE: Record<string, (world: World, recorded: Scenario) => void | Promise<void>> = {
  'ERROR txInsufficientBalance': ({ network, addresses }) =>
    network.createAccount(addresses['ghost'] ?? '', 10_000_000n),
  'FAILED: authorization expired before inclusion': ({ closeAt }, recorded) => closeAt(closedAt(recorded)),
  'FAILED: balance spent before inclusion': async (world, recorded) => {
    await spendPoorBalance(world);
    world.closeAt(closedAt(recorded));
  },
};
/** In the recording this one was sent first and came second, by its hash; the sandbox keeps the order of arrival. */
const UNRECORDED_WHILE_PENDING: Record<string, (world: World, recorded: Scenario) => void> = {
  'FAILED or SUCCESS: the same authorization from two sources in one ledger': sendFromOtherSource,
};
const UNRECORDED_AFTER: Record<string, (world: World) => void> = {
  'PENDING from another source at the same time': ({ closeAt }) =>
    closeAt(
      Number(
        scenarioOf('send.json', 'ERROR txBadSeq, same transaction after its ledger closed').response.result
          .latestLedgerCloseTime,
      ),
    ),
};

function closedAt({ getTransaction }: Scenario): number {
  return Number(getTransaction.response.result.createdAt);
}

function sendFromOtherSource({ network, addresses, keypair }: World, { send }: Scenario): void {
  const { transaction } = send.request.params as { transaction: string };
  const envelope = xdr.TransactionEnvelope.fromXdr(transaction, 'base64');
  if (envelope.type !== 'envelopeTypeTx') throw new Error('a plain transaction was recorded');
  const sequence = network.balances(addresses['submitter2'] ?? '').sequence ?? 0n;
  const sourceAccount = xdr.MuxedAccount.keyTypeEd25519(keypair('submitter2').rawPublicKey());
  const tx = new xdr.Transaction({ ...envelope.v1.tx, sourceAccount, seqNum: sequence + 1n });
  const unsigned = xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({ tx, signatures: [] }),
  );
  const rebuilt = TransactionBuilder.fromXdr(unsigned.toXdr('base64'), PASSPHRASE);
  rebuilt.sign(keypair('submitter2'));
  mustBePending(network, rebuilt.toXdr());
}

/** Pays out everything that `poor` has, with an authorization of its own. */
async function spendPoorBalance({ network, addresses, keypair }: World): Promise<void> {
  const call = transfer(addresses['poor'] ?? '', addresses['payee'] ?? '', 5n);
  mustBePending(network, await createWallet(network).build(keypair('submitter2'), call, keypair('poor')));
}

function mustBePending(network: Network, transaction: string): void {
  const { status } = createWallet(network).send(transaction);
  if (status !== 'PENDING') throw new Error(`an unrecorded transaction was answered ${status}`);
}

const files = new Map<string, Scenario[]>();

function scenarioOf(file: string, name: string): Scenario {
  if (!files.has(file)) files.set(file, load(file).scenarios);
  const found = files.get(file)?.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`no scenario "${name}" in ${file}`);
  return found;
}

/** Every recorded scenario with the sandbox's answer. */
export async function playRecordings(protocol: number): Promise<Played[]> {
  const world = createWorld(protocol);
  const played: Played[] = [];
  for (const { file, name } of load('index.json').list) {
    const recorded = scenarioOf(file, name);
    await UNRECORDED_BEFORE[name]?.(world, recorded);
    played.push({
      file,
      name,
      recorded,
      ...(file === 'apply.json' ? settle(world, recorded) : ask(world, recorded)),
    });
    UNRECORDED_AFTER[name]?.(world);
  }
  return played;
}

function ask({ network }: World, { request }: Exchange): Pick<Played, 'answer'> {
  return { answer: network.rpc(request.method, request.params) };
}

function settle(world: World, recorded: Scenario): Omit<Played, 'file' | 'name' | 'recorded'> {
  const { network, addresses, closeAt } = world;
  const names = Object.keys(recorded.decoded.balancesBefore);
  const balances = (): Balances =>
    Object.fromEntries(
      names.map((name) => {
        const { native, usdc, sequence } = network.balances(addresses[name] ?? '');
        return [name, { xlm: String(native), usdc: String(usdc), sequence: sequence?.toString() ?? null }];
      }),
    );
  const balancesBefore = balances();
  const send = ask(world, recorded.send).answer;
  UNRECORDED_WHILE_PENDING[recorded.name]?.(world, recorded);
  const statusWhilePending = ask(world, recorded.getTransaction).answer.result?.status;
  closeAt(closedAt(recorded));
  const { answer } = ask(world, recorded.getTransaction);
  return { answer, send, statusWhilePending, balancesBefore, balancesAfter: balances() };
}
