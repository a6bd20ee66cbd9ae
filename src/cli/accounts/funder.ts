import { Account, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { createWatcher, SETTLE_LIMITS, submit } from '../../scheme/index.ts';
import type { AccountState } from '../../stellar/accounts.ts';
import { sightLedgers, type LedgerClock } from '../../stellar/ledgerClock.ts';
import { PASSPHRASES, type Network } from '../../stellar/networks.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { Failure } from '../failure.ts';
import { LEAST_BALANCE_STROOPS } from '../../stellar/limits.ts';
import { fixedUnits } from '../../stellar/units.ts';
import { spendableStroops, xlm } from './lumens.ts';
import type { Source } from './source.ts';
import { ended, refused } from './transactionFailures.ts';
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
  /** The bid for each account that is made. The network takes what it asks for, usually 100. */
  inclusionStroops: number;
  /** Receives progress messages. */
  note: (text: string) => void;
  /** Returns a fault's text without secrets. */
  describe: (fault: unknown) => string;
}

/**
 * Opens the account that pays for new ones, a hundred per transaction; each is signed after the outcome of the last.
 * `account` is its state on the ledger. Throws a Failure if it cannot pay for `count` accounts.
 */
export function openFunder(deps: FunderDeps, account: AccountState | undefined, count: number): Source {
  const { note, describe } = deps;
  const key = Keypair.fromSecret(deps.secret);
  let { sequence } = checkFunds(deps, key.publicKey(), account, count);

  const onFault = (fault: unknown): void => note(`the RPC did not answer, asking again: ${describe(fault)}`);
  const now = () => performance.now();
  const { rpc } = deps;
  const { clock } = rpc;
  const limits = SETTLE_LIMITS;
  const closing = new AbortController();
  const watcher = createWatcher({ rpc, clock, limits, now, closing: closing.signal, onFault });

  async function fundAtOnce(addresses: readonly string[]): Promise<void> {
    await sightLedgers(rpc);
    const signed = sign(deps, key, { sequence, addresses, clock });
    note(`making ${accountsText(addresses.length)} in transaction ${signed.hash}`);
    const submission = await submit({ rpc, limits, onFault }, signed);
    if (submission.state === 'rejected') throw refused(deps, submission);
    const outcome = await watcher.follow({ ...signed, mayApplyUntil: 0, isCertain: submission.isCertain });
    if (outcome.state !== 'applied') throw ended(signed.hash, outcome);
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
  const startingBalance = fixedUnits(startingBalanceStroops);
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
