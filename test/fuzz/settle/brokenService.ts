/** Ways to build a service that is not as it should be. */
import { xdr } from '@stellar/stellar-sdk';
import type { SettleResponse } from '../../../src/contract/index.ts';
import {
  createScheme,
  type Scheme,
  type SchemeDeps,
  type SettlementJournal,
} from '../../../src/scheme/index.ts';
import type { LedgerClock } from '../../../src/stellar/ledgerClock.ts';
import type { Rpc } from '../../../src/stellar/rpc/pool.ts';
import type { Broken } from './run.ts';
import { NETWORK } from '../../support/payments.ts';

export function withScheme(build: NonNullable<NonNullable<Broken['sabotage']>['build']>): Broken {
  return { sabotage: { build } };
}

export function withDeps(change: (deps: SchemeDeps) => Partial<SchemeDeps>): Broken {
  return withScheme((deps) => createScheme({ ...deps, ...change(deps) }));
}

export function withRpc(change: (rpc: Rpc, nodes: readonly Rpc[]) => Rpc): Broken {
  return withScheme((deps, nodes) => createScheme({ ...deps, rpc: change(deps.rpc, nodes) }));
}

export function withJournal(change: (journal: SettlementJournal) => SettlementJournal): Broken {
  return withDeps(({ journal }) => ({ journal: change(journal) }));
}

export function withAnswer(change: (answer: SettleResponse) => SettleResponse): Broken {
  return withScheme((deps) => {
    const scheme = createScheme(deps);
    return { ...scheme, settle: async (request) => change(await scheme.settle(request)) };
  });
}

/** Several as one, but for what they settle. */
export function both(schemes: readonly Scheme[]): Scheme {
  return {
    ...schemes[0]!,
    open: async () => void (await Promise.all(schemes.map((scheme) => scheme.open()))),
    close: async () => void (await Promise.all(schemes.map((scheme) => scheme.close()))),
  };
}

export function failure(errorMessage: string, hash?: string): SettleResponse {
  return {
    success: false,
    transaction: '',
    network: NETWORK,
    errorReason: 'settle_exact_stellar_transaction_failed',
    errorMessage,
    ...(hash !== undefined && { extra: { transaction: hash } }),
  };
}

/** What a network says that asks for a higher fee. */
export function outbid(): object {
  const result = xdr.TransactionResultResult.txInsufficientFee();
  const ext = xdr.TransactionResultExt.v0();
  const errorResultXdr = new xdr.TransactionResult({ feeCharged: 100n, result, ext }).toXdr('base64');
  return { status: 'ERROR', errorResultXdr, latestLedger: 0, latestLedgerCloseTime: '0' };
}

/** Less than a transaction is valid for. */
const SECONDS_AHEAD = 20;

/** A clock that is ahead of the network. */
export const fast = (clock: LedgerClock): LedgerClock => ({
  ...clock,
  networkSeconds: () => clock.networkSeconds() + SECONDS_AHEAD,
});

export function later<Answer extends object>(answer: Answer): Answer {
  const { status, latestLedgerCloseTime } = answer as { status?: string; latestLedgerCloseTime?: string };
  if (status !== 'NOT_FOUND') return answer;
  return { ...answer, latestLedgerCloseTime: String(Number(latestLedgerCloseTime) + SECONDS_AHEAD) };
}
