import { Account, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { createWatcher, SETTLE_LIMITS, submit } from '../../scheme/index.ts';
import type { AccountState } from '../../stellar/accounts.ts';
import { createLedgerClock, sightLedgers } from '../../stellar/ledgerClock.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import { PASSPHRASES } from '../../stellar/networks.ts';
import type { Network } from '../../stellar/networks.ts';
import { heardBy } from '../../stellar/rpc/heard.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { Failure } from '../failure.ts';
import { LEAST_BALANCE_STROOPS, lumensOf, spendableStroops, xlm } from './lumens.ts';
import { accountsText } from './words.ts';

/** The network's limit of operations in a transaction. */
const MAX_CREATIONS = 100;
/** The fee of a transaction is an unsigned 32-bit integer. */
const MAX_FEE_STROOPS = 0xffff_ffff;
/** A transaction that no ledger takes within this time never applies. */
const INCLUSION_SECONDS = 60;

export interface FunderDeps {
  rpc: Rpc;
  network: Network;
  secret: string;
  startingBalanceStroops: bigint;
  /** Offered for each account that is made. The network takes what it asks for, usually 100. */
  inclusionStroops: number;
  /** Receives progress messages. */
  note: (text: string) => void;
  /** Returns a fault's text without secrets. */
  describe: (fault: unknown) => string;
}

/** An account that pays for new ones. */
export interface Funder {
  readonly name: string;
  /** Makes the accounts, a hundred per transaction. Signs each one after the outcome of the last. Throws a Failure. */
  fund(addresses: readonly string[]): Promise<void>;
}

/** Opens the funder. `account` is its state on the ledger. Throws a Failure if that cannot pay for `count` accounts. */
export function openFunder(deps: FunderDeps, account: AccountState | undefined, count: number): Funder {
  const { note, describe } = deps;
  const key = Keypair.fromSecret(deps.secret);
  let { sequence } = checkFunds(deps, key.publicKey(), account, count);

  const onFault = (fault: unknown): void => note(`the RPC did not answer, asking again: ${describe(fault)}`);
  const now = () => performance.now();
  const clock = createLedgerClock(now);
  const rpc = heardBy(clock, deps.rpc);
  const limits = SETTLE_LIMITS;
  const closing = new AbortController();
  const watcher = createWatcher({ rpc, clock, limits, now, closing: closing.signal, onFault });

  async function fundAtOnce(addresses: readonly string[]): Promise<void> {
    await sightLedgers(rpc);
    const signed = sign(deps, key, { sequence, addresses, clock });
    note(`making ${accountsText(addresses.length)} in transaction ${signed.hash}`);
    const submission = await submit({ rpc, limits, onFault }, signed);
    if (submission.status === 'rejected') throw refused(deps, submission);
    const outcome = await watcher.follow({ ...signed, mayApplyUntil: 0, isCertain: submission.isCertain });
    if (outcome.status !== 'success') throw ended(signed.hash, outcome);
    sequence += 1n;
  }

  return {
    name: key.publicKey(),
    async fund(addresses) {
      for (let start = 0; start < addresses.length; start += MAX_CREATIONS)
        await fundAtOnce(addresses.slice(start, start + MAX_CREATIONS));
    },
  };
}

function checkFunds(
  { network, startingBalanceStroops, inclusionStroops }: FunderDeps,
  address: string,
  account: AccountState | undefined,
  count: number,
): AccountState {
  const feesStroops = BigInt(count) * BigInt(inclusionStroops);
  const neededStroops = BigInt(count) * startingBalanceStroops + feesStroops;
  const needed = `${accountsText(count)} of ${xlm(startingBalanceStroops)} each, and up to ${xlm(feesStroops)} in fees`;
  if (account === undefined) {
    const withReserve = neededStroops + LEAST_BALANCE_STROOPS;
    throw new Failure(
      EXIT_FAILED,
      `the funder ${address} does not exist on ${network}: for ${needed}, send it at least ${xlm(withReserve)} ` +
        `(${xlm(LEAST_BALANCE_STROOPS)} stay as its reserve), or compare NETWORK and FUNDER_SECRET`,
    );
  }
  const spendable = spendableStroops(account);
  if (spendable >= neededStroops) return account;
  throw new Failure(
    EXIT_FAILED,
    `the funder ${address} can spend ${xlm(spendable)} of its ${xlm(account.balanceStroops)} (the rest is reserved), but ` +
      `needs ${xlm(neededStroops)} for ${needed}: send it ${xlm(neededStroops - spendable)} more, or lower ` +
      '--count or --starting-balance',
  );
}

/**
 * Signs a transaction with a time bound, so that its outcome becomes known. Until then, a second one has the same
 * sequence number, even in another run of this program: the ledger takes only one of them.
 */
function sign(
  { network, startingBalanceStroops, inclusionStroops }: FunderDeps,
  key: Keypair,
  { sequence, addresses, clock }: { sequence: bigint; addresses: readonly string[]; clock: LedgerClock },
) {
  const maxTimeSeconds = clock.networkSeconds() + INCLUSION_SECONDS;
  const sentInLedger = clock.latestLedger();
  // If ledgers take a second or more, the time bound comes first.
  const lastLedger = sentInLedger + INCLUSION_SECONDS;
  const builder = new TransactionBuilder(new Account(key.publicKey(), String(sequence)), {
    fee: String(Math.min(inclusionStroops, Math.floor(MAX_FEE_STROOPS / addresses.length))),
    networkPassphrase: PASSPHRASES[network],
    timebounds: { minTime: 0, maxTime: maxTimeSeconds },
    ledgerbounds: { minLedger: 0, maxLedger: lastLedger + 1 },
  });
  const startingBalance = lumensOf(startingBalanceStroops);
  for (const destination of addresses)
    builder.addOperation(Operation.createAccount({ destination, startingBalance }));
  const transaction = builder.build();
  transaction.sign(key);
  return {
    envelope: transaction.toXDR(),
    hash: Buffer.from(transaction.hash()).toString('hex'),
    validity: { maxTimeSeconds, lastLedger },
    sentInLedger,
  };
}

/** Tells an operator what to do about the most common refusals. */
const ADVICE: Record<string, string> = {
  txInsufficientFee: 'the network is busy and asks for more: raise MAX_INCLUSION_FEE_STROOPS, or wait',
  txInsufficientBalance: 'the funder cannot pay for it any more: send it lumens',
  txBadSeq: 'something else uses the funder at the same time: stop that',
  txBadAuth: 'the key in FUNDER_SECRET does not suffice to sign for its account: use another account',
  TRY_AGAIN_LATER: 'the network is busy, or another transaction of the funder waits: try again in a minute',
};

function refused(
  { inclusionStroops }: FunderDeps,
  { reason, askedStroops }: { reason: string; askedStroops?: number },
): Failure {
  const offered =
    reason === 'txInsufficientFee' ? ` (it offered ${inclusionStroops} stroops per account` : '';
  const asked =
    offered && (askedStroops === undefined ? ')' : `, the network asks for ${askedStroops} in all)`);
  const advice = ADVICE[reason] ?? 'try again later';
  return new Failure(
    EXIT_FAILED,
    `the network refused the transaction, ${reason}${offered}${asked}: ${advice}`,
  );
}

function ended(hash: string, { status, result }: { status: string; result?: string }): Failure {
  const why: Record<string, string> = {
    failed: `failed in the ledger (${result}): an account of it exists by now, or the funder cannot pay any more`,
    never: 'was not taken by any ledger in time, and never will be: the network is busy',
    forgotten: 'may or may not have applied, the RPC does not remember: look at the accounts first',
  };
  return new Failure(EXIT_FAILED, `transaction ${hash} ${why[status]}`);
}
