/** An embedded local Stellar network: its interface, its state and the close of a ledger. */
import { NATIVE, USDC } from './ledger/assets.ts';
import { closeLedger, createChain } from './ledger/chain.ts';
import { balancesOf, burn, createAccount, mint, openContractAccount } from './ledger/funding.ts';
import { callMethod } from './rpc/methods.ts';

export interface NetworkOptions {
  /** The time in ms; default Date.now. */
  now?: () => number;
  /** Sequence of the first ledger; default 1000. */
  startLedger?: number;
}

/** A JSON-RPC answer: the method's result, or a JSON-RPC error as a value. */
export type RpcAnswer = { result: unknown } | { error: { code: number; message: string } };

export interface LedgerSummary {
  sequence: number;
  closedAtMs: number;
  hash: string;
}

export interface Network {
  /** One JSON-RPC method. Synchronous, pure CPU. */
  rpc(method: string, params: unknown): RpcAnswer;
  /** Closes one ledger now and applies what is pending. */
  closeLedger(): void;
  /** Creates an account. Throws an Error with a clear message if it exists or the address is malformed. */
  createAccount(address: string, stroops: bigint): void;
  /**
   * Adds `amount` base units out of thin air; opens the trustline (or contract balance entry) and the
   * account when missing. Default asset: USDC.
   */
  mint(address: string, amount: bigint, asset?: 'USDC' | 'native'): void;
  /** Takes `amount` base units away, as if their holder had spent them. Throws where there are less. */
  burn(address: string, amount: bigint, asset?: 'USDC' | 'native'): void;
  /** Stroops, base units of USDC, and the sequence number (null when there is no such account). */
  balances(address: string): { native: bigint; usdc: bigint; sequence: bigint | null };
  /**
   * Address (C…) of the built-in contract account that checks one raw 32-byte ed25519 key; its instance is
   * created when missing. Its signature is 64 bytes (`scvBytes`) over the authorization payload's SHA-256;
   * `__check_auth` traps otherwise.
   */
  contractAccount(publicKey: Uint8Array): string;
  /** The latest ledgers, newest first. */
  ledgers(limit: number): LedgerSummary[];
  readonly latestLedger: number;
  /** Inclusion fee in stroops that the network demands while fees surge; default 100 = no surge. */
  setBaseInclusionFee(stroops: number): void;
}

const DEFAULT_START_LEDGER = 1_000;

export function createNetwork({
  now = Date.now,
  startLedger = DEFAULT_START_LEDGER,
}: NetworkOptions = {}): Network {
  const chain = createChain(now, startLedger);
  const { state, history } = chain;
  const latest = () => history.latest().sequence;
  return {
    rpc: (method, params) => callMethod(chain, method, params),
    closeLedger: () => closeLedger(chain),
    createAccount: (address, stroops) => createAccount(state, address, stroops, latest()),
    mint: (address, amount, asset = 'USDC') =>
      mint(state, address, amount, asset === 'USDC' ? USDC : NATIVE, latest()),
    burn: (address, amount, asset = 'USDC') =>
      burn(state, address, amount, asset === 'USDC' ? USDC : NATIVE, latest()),
    balances: (address) => balancesOf(state, address),
    contractAccount: (publicKey) => openContractAccount(state, publicKey, latest()),
    ledgers: (limit) =>
      history.ledgers
        .toReversed()
        .slice(0, limit)
        .map(({ sequence, closedAtMs, hash }) => ({ sequence, closedAtMs, hash: hash.toString('hex') })),
    get latestLedger() {
      return latest();
    },
    setBaseInclusionFee: (stroops) => {
      chain.baseInclusionFee = stroops;
    },
  };
}
