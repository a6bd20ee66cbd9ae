import type { SettleCode } from '../../contract/index.ts';
import type { SettleLimits } from '../limits.ts';
import type { PendingPayment } from '../payment.ts';
import type { SchemeObserver } from '../observer.ts';
import { refuse, type OperatorCode, type Refusal } from '../refusal.ts';
import type { AccountState, WaitingState } from '../state.ts';
import { accountStates } from './accountStates.ts';
import { databaseUnavailable } from './answer.ts';
import { createFairLine, type FairLine, type Waiter } from './fairLine.ts';
import { createFreeAccounts, type ChannelAccount, type FreeAccounts } from './freeAccounts.ts';
import { sendersAndPayersAlike } from './parties.ts';
import type { OwnAccounts } from './ownAccounts.ts';
import type { Payers } from './payers.ts';
import { partiesOf, placesOf } from './pending.ts';
import type { LeaseEvents, Sharing } from './sharing.ts';
import type { Signer } from './signer.ts';

/** A channel account whose sequence number is known. */
export interface ReadyAccount extends ChannelAccount {
  sequence: bigint;
}

export type NoAccount = Refusal<SettleCode | OperatorCode>;

/** Limits how long a payment may wait. */
export interface Turn {
  /** The moment at which waiting stops. */
  deadline: number;
  /** True if waiting took too long even so, because ledgers closed sooner than expected. */
  isOver(): boolean;
}

/** The accounts that source settlements. Each carries one payment at a time. */
export interface ChannelAccounts extends Omit<LeaseEvents, 'left'> {
  /**
   * Reads the sequence numbers before the first payment. Returns the addresses that have no account on the network.
   * Throws if the RPC fails.
   */
  open(): Promise<string[]>;
  /** Takes a free account, round-robin. Undefined if the payment must wait for one, or for others of its payer. */
  takeFree(payment: PendingPayment): Promise<ReadyAccount | undefined>;
  /**
   * Takes an account after waiting in a fair line until the turn is over. By then a ledger has usually closed, so the
   * payment must be verified again.
   */
  take(payment: PendingPayment, turn: Turn): Promise<ReadyAccount | NoAccount>;
  /**
   * Gives an account back. If there are several, one that is unfit rests first: otherwise it would always be the first
   * to be free, and every waiting payment would fail on it.
   */
  release(account: ReadyAccount, payment: PendingPayment): void;
  /** Gives free accounts to waiting payments that may start now. */
  handOut(): void;
  /**
   * Keeps a free account from being taken until every holder has called its returned function: an earlier process sent
   * a transaction from it whose outcome is not known.
   */
  hold(address: string): () => void;
  /** Forgets the account's sequence number on the ledger; it is read again before the next payment. */
  forget(account: ChannelAccount): void;
  /** Reads the account's sequence number again. Throws if the RPC fails or the account is gone. */
  refresh(account: ChannelAccount): Promise<void>;
  /** Returns the accounts and the line as they are. An account that is `isLow` can pay for nothing more. */
  state(isLow: (address: string) => boolean): { accounts: AccountState[]; waiting: WaitingState };
}

interface AccountsDeps {
  signers: readonly Signer[];
  own: Pick<OwnAccounts, 'read' | 'balanceOf' | 'isMissing'>;
  payers: Payers;
  /** Undefined if all accounts are this process's own. */
  sharing: Pick<Sharing, 'need' | 'giveUp'> | undefined;
  observer: Pick<SchemeObserver, 'waited'>;
  /** Monotonic milliseconds. */
  now: () => number;
  limits: Pick<
    SettleLimits,
    'maxWaitingPayments' | 'maxWaitingPaymentsPerParty' | 'bytesPerWaitingPayment' | 'accountRestMs'
  >;
}

interface Member extends Waiter {
  readonly payment: PendingPayment;
  /** Accounts that were tried, but do not exist. */
  readonly tried: Set<ChannelAccount>;
}

interface Parts extends Omit<AccountsDeps, 'signers'> {
  readonly accounts: readonly ChannelAccount[];
  readonly free: FreeAccounts;
  readonly line: FairLine<ChannelAccount, Member>;
}

export function createChannelAccounts({ signers, ...deps }: AccountsDeps): ChannelAccounts {
  const { maxWaitingPayments: maxPlaces, maxWaitingPaymentsPerParty: maxPlacesPerParty } = deps.limits;
  const accounts = signers.map((signer): ChannelAccount => ({ signer, sequence: undefined, isUnfit: false }));
  const parts: Parts = {
    ...deps,
    accounts,
    free: createFreeAccounts(accounts, deps.sharing === undefined),
    line: createFairLine({ maxPlaces, maxPlacesPerParty }, sendersAndPayersAlike, deps.now),
  };
  const byAddress = new Map(accounts.map((account) => [account.signer.address, account]));
  const lease = (address: string, isLeased: boolean): void => {
    const account = byAddress.get(address);
    if (account !== undefined) parts.free.lease(account, isLeased);
  };
  return {
    gained(address) {
      lease(address, true);
      handOut(parts);
    },
    lost: (address) => lease(address, false),
    waiting: () => parts.line.length,
    unavailable: () => parts.line.dismiss(),
    takeBack(address) {
      const account = byAddress.get(address);
      if (account === undefined || !parts.free.has(account)) return false;
      lease(address, false);
      return true;
    },
    async open() {
      await readSequences(parts, accounts);
      return accounts.filter((account) => !isReady(account)).map(({ signer }) => signer.address);
    },
    async takeFree(payment) {
      const account = takeUntried(parts, { payment, tried: new Set() });
      return account && (await ready(parts, account, payment));
    },
    async take(payment, turn) {
      const since = deps.now();
      const taken = await take(parts, payment, turn);
      deps.observer.waited(deps.now() - since);
      return taken;
    },
    release: (account, payment) => release(parts, account, payment),
    handOut: () => handOut(parts),
    hold(address) {
      const account = byAddress.get(address);
      return account === undefined ? () => {} : parts.free.hold(account, () => handOut(parts));
    },
    forget: (account) => void (account.sequence = undefined),
    async refresh(account) {
      await readSequences(parts, [account]);
      if (!isReady(account))
        throw new Error(`the submitter account ${account.signer.address} is gone from the network`);
    },
    state: (isLow) => stateOf(parts, isLow),
  };
}

async function take(
  parts: Parts,
  payment: PendingPayment,
  { deadline, isOver }: Turn,
): Promise<ReadyAccount | NoAccount> {
  const { line, accounts, limits, now } = parts;
  const places = placesOf(payment, limits);
  const member: Member = { payment, ...partiesOf(payment), places, deadline, tried: new Set() };
  const [since, ahead] = [now(), line.length];
  while (member.tried.size < accounts.length) {
    const account = takeUntried(parts, member) ?? (await waitFor(parts, member));
    if (account === 'no room') return tooMany(parts);
    if (account === 'dismissed') return databaseUnavailable;
    if (account === 'too late') return tooLate(parts, now() - since, ahead);
    if (isOver()) {
      giveBack(parts, account, payment);
      return tooLate(parts, now() - since, ahead);
    }
    const taken = await ready(parts, account, payment);
    if (taken !== undefined) return taken;
    member.tried.add(account);
  }
  return refused(
    `none of the ${accounts.length} submitter accounts exists on the network; fund them with lumens`,
  );
}

function waitFor({ line, sharing }: Parts, member: Member): ReturnType<Parts['line']['wait']> {
  const waiting = line.wait(member);
  sharing?.need();
  return waiting;
}

function release(parts: Parts, account: ReadyAccount, payment: PendingPayment): void {
  if (!account.isUnfit || parts.accounts.length === 1) return giveBack(parts, account, payment);
  end(parts, payment);
  handOut(parts);
  setTimeout(() => {
    account.isUnfit = false;
    parts.free.add(account);
    handOut(parts);
  }, parts.limits.accountRestMs).unref();
}

function handOut(parts: Parts): void {
  const { free, line, payers } = parts;
  for (const account of free) {
    const taker = line.hand(account, ({ tried, payment }) => !tried.has(account) && payers.mayStart(payment));
    // If no payment may take this account, none may take another, unless some payment has tried accounts before.
    if (taker === undefined && !line.some(({ tried }) => tried.size > 0)) return;
    if (taker === undefined) continue;
    start(parts, account, taker.payment);
  }
}

function takeUntried(
  parts: Parts,
  { tried, payment }: Pick<Member, 'tried' | 'payment'>,
): ChannelAccount | undefined {
  const { free, payers, line } = parts;
  const account = [...free].find((one) => !tried.has(one));
  if (account === undefined || !payers.mayStart(payment)) return undefined;
  start(parts, account, payment);
  line.admit(partiesOf(payment));
  return account;
}

function start({ free, payers, now }: Parts, account: ChannelAccount, payment: PendingPayment): void {
  account.lastUsedAt = now();
  free.take(account);
  payers.start(payment);
}

function end({ payers, line }: Parts, payment: PendingPayment): void {
  payers.end(payment);
  line.leave(partiesOf(payment));
}

function giveBack(parts: Parts, account: ChannelAccount, payment: PendingPayment): void {
  const { sharing, free } = parts;
  end(parts, payment);
  if (sharing?.giveUp(account.signer.address) === true) free.lease(account, false);
  free.add(account);
  handOut(parts);
}

async function readSequences({ own }: Parts, those: readonly ChannelAccount[]): Promise<void> {
  const states = await own.read(those.map(({ signer }) => signer.address));
  for (const account of those) account.sequence = states.get(account.signer.address)?.sequence;
}

/** Reads the sequence number if it is not known. If the account is missing or the RPC fails, gives the account back. */
async function ready(
  parts: Parts,
  account: ChannelAccount,
  payment: PendingPayment,
): Promise<ReadyAccount | undefined> {
  try {
    if (account.sequence === undefined) await readSequences(parts, [account]);
  } catch (fault) {
    giveBack(parts, account, payment);
    throw fault;
  }
  if (isReady(account)) return account;
  giveBack(parts, account, payment);
  return undefined;
}

const isReady = (account: ChannelAccount): account is ReadyAccount => account.sequence !== undefined;

function stateOf(parts: Parts, isLow: (address: string) => boolean): ReturnType<ChannelAccounts['state']> {
  const { line, limits } = parts;
  const { length: payments, places } = line;
  const waiting = { payments, places, maxPlaces: limits.maxWaitingPayments, oldestMs: line.oldestMs() };
  return { accounts: accountStates(parts, isLow), waiting };
}

function tooMany({ accounts, line }: Parts): NoAccount {
  return refused(
    `${allBusy(accounts)}, and ${line.length} payments are waiting: no more may, in total or for one payer or recipient`,
  );
}

function tooLate({ accounts }: Parts, waitedMs: number, ahead: number): NoAccount {
  const waited = `this payment waited ${(waitedMs / 1000).toFixed(1)} s, at first behind ${ahead} others`;
  return refused(`${allBusy(accounts)}, and none was free in time: ${waited}`);
}

const allBusy = ({ length }: readonly ChannelAccount[]): string =>
  `${length} of ${length} submitter accounts are busy`;

function refused(why: string): NoAccount {
  return refuse('settle_exact_stellar_signer_selection_failed', `No submitter could be selected: ${why}.`);
}
