/**
 * A network that runs contracts, a service on it, and what tests of wallets and tokens need of both. It is the sandbox,
 * or with NETWORK_URL another network of the sandbox's own interface (Stellar RPC, friendbot, `POST /close`) whose ledgers
 * close only when asked: so the same rules can be tried on another host. One file at a time: each closes its own ledgers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair, scValToBigInt } from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createContracts, type Contracts } from '../../sandbox/contracts/deploy.ts';
import { createWallets, type Wallet, type Wallets } from '../../sandbox/contracts/wallets.ts';
import type { FacilitatorRequest, PaymentRequirements, SettleResponse } from '../../src/contract/index.ts';
import { AMOUNT, requestFor, requirementsFor, signTransfer, USDC, type TransferTerms } from './payments.ts';
import { address, draftTransfer, encodeDraft, i128, payloadOf, tamper, type Draft } from './paymentsDraft.ts';
import { NETWORK_NAME } from './playedNetwork.ts';
import { openSandbox } from './sandbox.ts';
import {
  CEILING_STROOPS as DEFAULT_CEILING_STROOPS,
  openFacilitator,
  type Facilitator,
  type FacilitatorOptions,
} from './service.ts';

const LEDGER_MS = 150;
/** A payment that makes an entry, such as the balance of a recipient, costs more rent on the public network. */
const CEILING_STROOPS = NETWORK_NAME === 'pubnet' ? 1_000_000 : DEFAULT_CEILING_STROOPS;
const POLL_INTERVAL_MS = 10;
/** As many as any pace of the ledgers allows for stock sellers' 300 s. */
const EXPIRES_IN_LEDGERS = 55;
const PURSE = 1_000_000n;

/** What a payer signs with: a key, or a wallet. */
type Payer = Keypair | Wallet;

export interface ContractStage {
  facilitator: Facilitator;
  contracts: Contracts;
  wallets: Wallets;
  /** Another service on the same network, until the test ends. */
  open(options: Partial<FacilitatorOptions>): Promise<Facilitator>;
  /** A new account with lumens and USDC. */
  account(): Promise<Keypair>;
  /** Gives a wallet USDC. */
  fund<Funded extends Wallet>(wallet: Funded): Promise<Funded>;
  /** A payment of AMOUNT to a new account. */
  payment(
    payer: Payer,
    changes?: Partial<PaymentRequirements>,
    edit?: (draft: Draft) => void,
  ): Promise<ContractPayment>;
  balance(asset: string, holder: string): Promise<bigint>;
  latestLedger(): Promise<number>;
  /** From here on ledgers close only by closeLedger, until the test ends. */
  stopLedgers(): Promise<void>;
  closeLedger(): Promise<void>;
  /** Settles while ledgers stand still: the next one closes when the network has the transaction, and not before. */
  settleOnNextLedger(request: FacilitatorRequest): Promise<SettleResponse>;
}

export interface ContractPayment {
  payer: string;
  payTo: string;
  asset: string;
  request: FacilitatorRequest;
}

/** The network under a stage. */
interface TestNetwork {
  url: string;
  account(): Promise<Keypair>;
  stopLedgers(): Promise<void>;
  startLedgers(): void;
  closeLedger(): Promise<unknown>;
  close(): Promise<void>;
}

/** One network and one service for all tests of a file. */
export function useContractStage(): ContractStage {
  let network: TestNetwork;
  const opened: Facilitator[] = [];
  let nonces = BigInt(Date.now());
  const stage = {} as ContractStage;

  beforeAll(async () => {
    const url = process.env['NETWORK_URL'];
    network = url === undefined ? await openSandboxNetwork() : openOtherNetwork(url);
    const funder = await network.account();
    stage.contracts = createContracts({ rpcUrl: network.url, funder });
    stage.wallets = createWallets(stage.contracts);
    stage.facilitator = await stage.open({});
    stage.fund = async (wallet) => {
      const [from, to] = [address(funder.publicKey()), address(wallet.address)];
      await stage.contracts.invoke(USDC, 'transfer', from, to, i128(PURSE));
      return wallet;
    };
  });
  afterEach(async () => {
    network.startLedgers();
    for (const facilitator of opened.splice(1)) await facilitator.close();
  });
  afterAll(async () => {
    await stage.facilitator.close();
    await network.close();
  });

  return Object.assign(stage, {
    async open(options: Partial<FacilitatorOptions>) {
      const submitters = [await network.account()];
      const facilitator = await openFacilitator({
        rpcUrl: network.url,
        submitters,
        maxTransactionFeeStroops: CEILING_STROOPS,
        ...options,
      });
      opened.push(facilitator);
      return facilitator;
    },
    account: () => network.account(),
    async payment(
      payer: Payer,
      changes: Partial<PaymentRequirements> = {},
      edit: (draft: Draft) => void = () => {},
    ) {
      const payTo = (await network.account()).publicKey();
      const requirements = requirementsFor(payTo, changes);
      const terms = {
        requirements,
        expiration: (await stage.latestLedger()) + EXPIRES_IN_LEDGERS,
        nonce: nonces++,
      };
      const isKey = payer instanceof Keypair;
      const signed = isKey ? signTransfer({ key: payer, ...terms }) : walletTransfer(payer, terms);
      const request = requestFor(requirements, tamper(signed, edit));
      return { payer: isKey ? payer.publicKey() : payer.address, payTo, asset: requirements.asset, request };
    },
    async balance(asset: string, holder: string) {
      return scValToBigInt(await stage.contracts.read(asset, 'balance', address(holder)));
    },
    async latestLedger() {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLatestLedger' });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(network.url, { method: 'POST', headers, body });
      return ((await response.json()) as { result: { sequence: number } }).result.sequence;
    },
    stopLedgers: () => network.stopLedgers(),
    async closeLedger() {
      await network.closeLedger();
    },
    async settleOnNextLedger(request: FacilitatorRequest) {
      const sentBefore = await sendsTo(network.url);
      let isAnswered = false;
      const answer = stage.facilitator.settle(request).finally(() => (isAnswered = true));
      while (!isAnswered && (await sendsTo(network.url)) === sentBefore) await sleep(POLL_INTERVAL_MS);
      for (; !isAnswered; await sleep(LEDGER_MS)) await network.closeLedger();
      return answer;
    },
  });
}

/** A payment by a wallet, as its own client makes it. Base64 XDR. */
function walletTransfer(
  wallet: Wallet,
  { requirements, ...terms }: Omit<TransferTerms, 'key' | 'from'>,
): string {
  const { payTo, asset, amount } = requirements;
  const draft = draftTransfer({ from: wallet.address, to: payTo, amount: BigInt(amount), asset, ...terms });
  const entry = draft.entries[0]!;
  entry.signature = wallet.sign(payloadOf(entry));
  return encodeDraft(draft);
}

/** What verify and settle said, and how much of the asset reached the recipient. */
export interface Outcome {
  /** The code that verify answered, or 'valid'. */
  verdict: string | undefined;
  settled: SettleResponse;
  received: bigint;
}

export async function outcomeOf(
  stage: ContractStage,
  { asset, payTo, request }: ContractPayment,
  { verify, settle }: Facilitator = stage.facilitator,
): Promise<Outcome> {
  const before = await stage.balance(asset, payTo);
  const { isValid, invalidReason } = await verify(request);
  const settled = await settle(request);
  return {
    verdict: isValid ? 'valid' : invalidReason,
    settled,
    received: (await stage.balance(asset, payTo)) - before,
  };
}

/** Settled, and the whole amount has moved. */
export const PAID = { verdict: 'valid', settled: { success: true }, received: AMOUNT };

/** Refused by verify and by settle alike, and nothing has moved. */
export const refusedWith = (code: string) => ({
  verdict: code,
  settled: { success: false, errorReason: code, transaction: '' },
  received: 0n,
});

/** How many transactions a network was sent so far. */
async function sendsTo(url: string): Promise<number> {
  const calls = (await (await fetch(`${url}/calls`)).json()) as Record<string, number>;
  return calls['sendTransaction'] ?? 0;
}

async function openSandboxNetwork(): Promise<TestNetwork> {
  const sandbox = await openSandbox({ ledgerMs: LEDGER_MS });
  return {
    url: sandbox.url,
    account: async () => sandbox.account(100n * PURSE),
    stopLedgers: async () => sandbox.stopLedgers(),
    startLedgers: () => sandbox.faults.clear(),
    closeLedger: async () => sandbox.network.closeLedger(),
    close: sandbox.close,
  };
}

function openOtherNetwork(url: string): TestNetwork {
  let isTicking = true;
  let closing: Promise<unknown> = Promise.resolve();
  const closeLedger = () => fetch(`${url}/close`, { method: 'POST' });
  const tick = () => {
    if (isTicking) closing = closeLedger().catch(() => {});
  };
  const ticker = setInterval(tick, LEDGER_MS);
  return {
    url,
    async account() {
      const key = Keypair.random();
      await fetch(`${url}/friendbot?addr=${key.publicKey()}`);
      return key;
    },
    async stopLedgers() {
      isTicking = false;
      await closing;
    },
    startLedgers: () => void (isTicking = true),
    closeLedger,
    close: async () => clearInterval(ticker),
  };
}
