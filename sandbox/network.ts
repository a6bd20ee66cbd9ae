/** Runs a local Stellar network in this process: its interface, its state and the closing of a ledger. */
import { xdr } from '@stellar/stellar-sdk';
import type { ContractName } from './contracts/built.ts';
import { PROTOCOLS } from './host/instance.ts';
import { KNOWN_ACCOUNTS } from './knownAccounts.ts';
import type { AssetName } from './ledger/assets.ts';
import { closeLedger, createChain, firstLedger, voteFor, type Chain } from './ledger/chain.ts';
import { deployAsset, deployContract, invokeContract } from './ledger/deploy.ts';
import { balancesOf, changeBalance, createAccount, type Balances } from './ledger/funding.ts';
import { createHistory } from './ledger/history.ts';
import { PUBLIC_NETWORKS, type NetworkName } from './networks.ts';
import { STARTING_BALANCE_STROOPS } from './protocol.ts';
import { callMethod } from './rpc/methods.ts';
import { restore, savedLedgers, savedNetwork, type Deployments, type SavedNetwork } from './saved.ts';

export interface NetworkOptions {
  /** The time in ms; default Date.now. */
  now?: () => number;
  /** The sequence of the first ledger; default 1000. */
  startLedger?: number;
  /** The public network whose passphrase and assets it uses; default testnet. */
  network?: NetworkName;
  /** The protocol of the first ledger, 29 or 30; default the newest. */
  protocol?: number;
  /** A network to go on with, where it stopped; then `startLedger`, `network` and `protocol` do not count. */
  saved?: SavedNetwork | undefined;
}

/** A JSON-RPC answer: the method's result, or a JSON-RPC error as a value. */
export type RpcAnswer = { result: unknown } | { error: { code: number; message: string } };

export interface LedgerSummary {
  sequence: number;
  closedAtMs: number;
  hash: string;
}

export interface Network {
  /** Answers one JSON-RPC method. Synchronous, pure CPU. */
  rpc(method: string, params: unknown): RpcAnswer;
  /** Closes one ledger now and applies what is pending. */
  closeLedger(): void;
  /** Closes ledgers one after the other, each `ledgerMs` later. The network's clock stays ahead by as much. */
  advance(ledgers: number, ledgerMs: number): void;
  /** Puts all entries back to how they began, and forgets transactions. Ledger numbers, time and protocol go on. */
  reset(): void;
  /** Returns what a new network needs to go on from here. */
  save(): SavedNetwork;
  /** Creates an account. Throws an Error with a clear message if it exists or the address is malformed. */
  createAccount(address: string, stroops: bigint): void;
  /**
   * Adds `amount` base units out of thin air. Opens the trustline (or contract balance entry) and the account if
   * missing. Default asset: USDC.
   */
  mint(address: string, amount: bigint, asset?: AssetName): void;
  /** Takes `amount` base units away, as if their holder had spent them. Throws if the holder has less. */
  burn(address: string, amount: bigint, asset?: AssetName): void;
  balances(address: string): Balances;
  /**
   * Returns the address (C…) of a contract account that checks one raw 32-byte ed25519 key. Deploys it if missing. Its
   * signature is 64 bytes (`scvBytes`) over the authorization payload's SHA-256; `__check_auth` traps otherwise.
   */
  contractAccount(publicKey: Uint8Array): string;
  /** Deploys a built contract without a transaction; `args` go to its constructor. Returns its address (C…). */
  deploy(name: ContractName, args: readonly xdr.ScVal[]): string;
  /** Calls a contract's function without a transaction. Throws if it fails. */
  invoke(contract: string, name: string, ...args: xdr.ScVal[]): void;
  /** Returns the latest ledgers, newest first. */
  ledgers(limit: number): LedgerSummary[];
  readonly name: NetworkName;
  readonly passphrase: string;
  readonly latestLedger: number;
  /** The protocol that the next ledger runs under. */
  readonly protocol: number;
  /** Upgrades with the next ledger; the one after it runs under the new protocol. Throws unless it is newer. */
  upgrade(protocol: number): void;
  /** Sets the inclusion fee in stroops that the network demands while fees surge; default 100, which is no surge. */
  setBaseInclusionFee(stroops: number): void;
}

const DEFAULT_START_LEDGER = 1_000;

export function createNetwork({
  now = Date.now,
  startLedger = DEFAULT_START_LEDGER,
  network = 'testnet',
  protocol = PROTOCOLS.at(-1)!,
  saved,
}: NetworkOptions = {}): Network {
  const history = createHistory(saved ? savedLedgers(saved) : [firstLedger(startLedger, protocol, now())]);
  let aheadMs = saved ? history.latest().closedAtMs - now() : 0;
  const chain = createChain(PUBLIC_NETWORKS[saved?.network ?? network], history, () => now() + aheadMs);
  const { assets } = chain;
  if (saved) restore(chain, saved);
  else begin(chain);
  let deployments: Deployments = saved?.deployments ?? { count: 0, accounts: {} };
  const deploy: Network['deploy'] = (name, args) => deployContract(chain, name, args, deployments.count++);
  return {
    rpc: (method, params) => callMethod(chain, method, params),
    closeLedger: () => closeLedger(chain),
    advance(ledgers, ledgerMs) {
      for (let i = 0; i < ledgers; i += 1) {
        aheadMs += ledgerMs;
        closeLedger(chain);
      }
    },
    reset() {
      deployments = { count: 0, accounts: {} };
      beginAgain(chain);
    },
    save: () => savedNetwork(chain, deployments),
    createAccount: (address, stroops) => createAccount(chain, address, stroops),
    mint: (address, amount, asset = 'USDC') => changeBalance(chain, address, positive(amount), assets[asset]),
    burn: (address, amount, asset = 'USDC') =>
      changeBalance(chain, address, -positive(amount), assets[asset]),
    balances: (address) => balancesOf(chain, address),
    contractAccount(publicKey) {
      const id = Buffer.from(publicKey).toString('hex');
      return (deployments.accounts[id] ??= deploy('ed25519', [xdr.ScVal.scvBytes(publicKey)]));
    },
    deploy,
    invoke: (contract, name, ...args) => invokeContract(chain, contract, name, args),
    ledgers: (limit) =>
      history.ledgers
        .toReversed()
        .slice(0, limit)
        .map(({ sequence, closedAtMs, hash }) => ({ sequence, closedAtMs, hash: hash.toString('hex') })),
    name: chain.network.name,
    passphrase: chain.network.passphrase,
    get latestLedger() {
      return history.latest().sequence;
    },
    get protocol() {
      return history.latest().protocol;
    },
    upgrade: (newer) => voteFor(chain, newer),
    setBaseInclusionFee: (stroops) => {
      chain.baseInclusionFee = stroops;
    },
  };
}

/** Makes the entries that the first ledger has. */
function begin(chain: Chain): void {
  for (const issuer of Object.values(chain.network.issuers)) {
    createAccount(chain, issuer, STARTING_BALANCE_STROOPS);
  }
  for (const { asset } of Object.values(chain.assets)) deployAsset(chain, asset);
  for (const { key, usdc } of KNOWN_ACCOUNTS) {
    createAccount(chain, key.publicKey(), STARTING_BALANCE_STROOPS);
    if (usdc !== undefined) changeBalance(chain, key.publicKey(), usdc, chain.assets.USDC);
  }
}

function beginAgain(chain: Chain): void {
  chain.state.clear();
  chain.pending = [];
  chain.history.forgetTransactions();
  begin(chain);
}

function positive(amount: bigint): bigint {
  if (amount < 0n) throw new Error(`amount out of range: ${amount}`);
  return amount;
}
