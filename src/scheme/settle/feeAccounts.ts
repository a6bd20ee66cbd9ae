import { LEAST_BALANCE_STROOPS } from '../../stellar/limits.ts';
import type { SchemeLog } from '../../stellar/log.ts';
import type { SettleLimits } from '../limits.ts';
import { refuse, type OperatorCode, type Refusal } from '../refusal.ts';
import type { FeePolicy } from '../verify/checks/fee.ts';
import type { ChannelAccounts } from './channelAccounts.ts';
import type { OwnAccounts } from './ownAccounts.ts';

/** Says when the accounts that pay the network fees have too little. Undefined means never. */
export interface FeeBalances {
  /** Below this, the operator is warned; `FEE_BALANCE_WARNING_STROOPS`. */
  readonly warningStroops: number | undefined;
  /** Below this, an account pays for nothing more; `FEE_BALANCE_FLOOR_STROOPS`. */
  readonly floorStroops: number | undefined;
}

/** Watches the accounts that pay the network fees: the fee-bump account, or else the submitters. */
export interface FeeAccounts {
  /** Returns a refusal while every account is below the floor. */
  refusal(): Refusal<OperatorCode> | undefined;
  /**
   * True if the account pays fees and is missing or below the floor, by the balance that was read last. Without a floor,
   * if it could not pay for one settlement.
   */
  isLow(address: string): boolean;
  /** Reads the balances, and goes on doing so. Resolves after the first time. Never throws. */
  open(): Promise<void>;
}

interface FeeAccountsDeps {
  own: Pick<OwnAccounts, 'read' | 'balanceOf' | 'isMissing'>;
  feePolicy: Pick<FeePolicy, 'ceilingStroops'>;
  /** The addresses of the accounts. */
  payers: readonly string[];
  balances: FeeBalances;
  accounts: Pick<ChannelAccounts, 'hold'>;
  limits: Pick<SettleLimits, 'readBalancesEveryMs'>;
  /** Stops the watch. */
  closing: AbortSignal;
  log: SchemeLog;
}

const LOW = refuse<OperatorCode>(
  'svc_fee_account_low',
  'The accounts that pay the network fees of this facilitator have too few lumens; nothing was sent. Tell the operator, and try again later.',
);

export function createFeeAccounts(deps: FeeAccountsDeps): FeeAccounts {
  const { own, feePolicy, payers, balances, accounts, limits, closing, log } = deps;
  const { warningStroops = -1, floorStroops = -1 } = balances;
  /** The accounts below the floor, each with what lets it be used again. */
  const low = new Map<string, () => void>();
  const warned = new Set<string>();
  const leastStroops = balances.floorStroops ?? Number(LEAST_BALANCE_STROOPS) + feePolicy.ceilingStroops;

  async function look(): Promise<void> {
    try {
      const states = await own.read(payers);
      // An account that does not exist is another problem: the network says so.
      for (const [address, { balanceStroops }] of states) note(address, Number(balanceStroops));
    } catch (err) {
      log.warn({ err }, 'the balances of the fee accounts could not be read');
    }
  }

  function note(address: string, stroops: number): void {
    warn(address, stroops);
    const isLow = stroops < floorStroops;
    if (isLow === low.has(address)) return;
    if (isLow) {
      low.set(address, accounts.hold(address));
      log.error({ account: address, balanceStroops: stroops }, 'a fee account is below its floor: fund it');
      return;
    }
    const letGo = low.get(address);
    low.delete(address);
    letGo?.();
    log.info({ account: address, balanceStroops: stroops }, 'a fee account is above its floor again');
  }

  function warn(address: string, stroops: number): void {
    if (stroops >= warningStroops) return void warned.delete(address);
    if (warned.has(address)) return;
    warned.add(address);
    log.warn({ account: address, balanceStroops: stroops }, 'a fee account is low: fund it soon');
  }

  return {
    refusal: () => (low.size === payers.length ? LOW : undefined),
    isLow(address) {
      if (!payers.includes(address)) return false;
      return own.isMissing(address) || (own.balanceOf(address) ?? Infinity) < leastStroops;
    },
    async open() {
      if (balances.warningStroops === undefined && balances.floorStroops === undefined) return;
      await look();
      const timer = setInterval(() => void look(), limits.readBalancesEveryMs).unref();
      closing.addEventListener('abort', () => clearInterval(timer), { once: true });
    },
  };
}
