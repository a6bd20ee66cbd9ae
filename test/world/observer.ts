import type { Network } from '../../sandbox/network.ts';
import { CEILING_STROOPS } from '../support/service.ts';
import type { JournalRow } from './journal.ts';
import { createLedgerReader, type LedgerTransaction } from './ledger.ts';
import type { Facts, Payment } from './oracle/facts.ts';
import type { Account, Role } from './oracle/funds.ts';
import type { Arrival } from './webhookReceiver.ts';

/** Gathers what is known of one service's payments. */
export interface Observer {
  /** Counts what the accounts have from now on. What ledgers take from watched submitters is the service's. */
  watch(role: Role, ...addresses: string[]): void;
  facts(): Facts;
}

export function createObserver(deps: {
  network: Network;
  payments: readonly Payment[];
  journal: () => readonly JournalRow[];
  /** What the receiver of webhooks was told, if there is one. */
  arrivals?: () => readonly Arrival[];
}): Observer {
  const { network, payments, journal, arrivals } = deps;
  const accounts: Omit<Account, 'now'>[] = [];
  const submitters = new Set<string>();
  const readLedger = createLedgerReader(network);
  const ledger: LedgerTransaction[] = [];
  return {
    watch(role, ...addresses) {
      for (const address of addresses) {
        accounts.push({ role, address, start: network.balances(address) });
        if (role === 'submitter') submitters.add(address);
      }
    },
    facts() {
      ledger.push(...readLedger().filter(({ submitter }) => submitters.has(submitter)));
      return {
        payments,
        ledger,
        journal: journal(),
        arrivals: arrivals?.(),
        accounts: accounts.map((account) => ({ ...account, now: network.balances(account.address) })),
        ceilingStroops: CEILING_STROOPS,
      };
    },
  };
}
