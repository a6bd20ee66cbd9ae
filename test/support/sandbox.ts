import { createHash } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk';
import { aliasStellarHosts } from '../../sandbox/aliases.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/server.ts';
import { trustCertificate } from '../../sandbox/tls.ts';
import { NETWORK_NAME } from './playedNetwork.ts';

/** Short, so that a settlement takes a moment; long enough for a busy machine to keep up. */
const LEDGER_MS = 150;
/** Ledgers that lie in the past at the start, from which clients and facilitator read the same rhythm. */
const HISTORY_LEDGERS = 40;
const STARTING_USDC = 10_000_000n;

/** A contract account, and the key that signs for it. */
export interface ContractPayer {
  address: string;
  key: Keypair;
}

export interface TestSandbox extends Sandbox {
  /** A new account with lumens and USDC (base units). Keys follow from the order of the calls, so runs are alike. */
  account(usdc?: bigint): Keypair;
  /** A new account with lumens and no trustline, as a submitter's. */
  submitter(): Keypair;
  keyWithoutAccount(): Keypair;
  contractPayer(usdc?: bigint): ContractPayer;
  usdc(address: string): bigint;
  native(address: string): bigint;
  /** The last ledger that an authorization signed now for `seconds` may name without any tolerance. */
  expirationIn(seconds: number): number;
  /** Never the same twice. */
  nonce(): bigint;
  /** Ledgers close only by `network.closeLedger()` until `faults.clear()`. */
  stopLedgers(): void;
}

/** A sandbox network with some history, which the stock clients of this process take for the public network that it plays. */
export async function openSandbox({
  ledgerMs = LEDGER_MS,
  ...options
}: Pick<SandboxOptions, 'ledgerMs' | 'protocol' | 'network'> = {}): Promise<TestSandbox> {
  let pastMs = HISTORY_LEDGERS * ledgerMs;
  const sandbox = await startSandbox({
    network: NETWORK_NAME,
    ...options,
    ledgerMs,
    now: () => Date.now() - pastMs,
  });
  for (; pastMs > 0; pastMs -= ledgerMs) sandbox.network.closeLedger();
  trustCertificate(sandbox.caCertificate);
  const restoreHosts = aliasStellarHosts(sandbox.httpsUrl);
  const { network } = sandbox;

  let keys = 0;
  const nextKey = () =>
    Keypair.fromRawEd25519Seed(createHash('sha256').update(`test account ${keys++}`).digest());
  let nonces = 0n;

  return {
    ...sandbox,
    account(usdc = STARTING_USDC) {
      const key = nextKey();
      network.mint(key.publicKey(), usdc);
      return key;
    },
    submitter() {
      const key = nextKey();
      network.createAccount(key.publicKey(), 100_000_000_000n);
      return key;
    },
    keyWithoutAccount: nextKey,
    contractPayer(usdc = STARTING_USDC) {
      const key = nextKey();
      const address = network.contractAccount(key.rawPublicKey());
      network.mint(address, usdc);
      return { address, key };
    },
    usdc: (address) => network.balances(address).usdc,
    native: (address) => network.balances(address).native,
    // Ledgers are shorter than the shortest pace that is counted with: one second.
    expirationIn: (seconds) => network.latestLedger + seconds,
    nonce: () => ++nonces,
    stopLedgers: () => sandbox.faults.add({ kind: 'ledgersStop' }),
    async close() {
      restoreHosts();
      await sandbox.close();
    },
  };
}
