import { checkAuthorization, expirationBound, lastExpiration } from './checks/authorization.ts';
import { checkEvents } from './checks/events.ts';
import { checkFee, type FeePolicy } from './checks/fee.ts';
import { isFirstToContract } from './checks/firstPayment.ts';
import { checkProtocol } from './checks/protocol.ts';
import { checkRecipient } from './checks/recipient.ts';
import { simulate, type NotExecuted, type Simulation } from './checks/simulation.ts';
import { readPayment } from './checks/transaction.ts';
import type { Leeway } from './leeway.ts';
import type { LedgerClock, LedgerSighting } from '../../stellar/ledgerClock.ts';
import { decodeTransaction } from './payload.ts';
import type { Payment, SchemeRequest } from '../payment.ts';
import { partyOf } from './party.ts';
import type { PaymentPolicy } from '../policy.ts';
import type { Refusal, Refused } from '../refusal.ts';
import type { Purpose } from '../../stellar/rpc/transport.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';

export interface VerifyDeps {
  rpc: Rpc;
  /** The purpose that its RPC calls count for. */
  purpose: Purpose;
  leeway: Leeway;
  clock: LedgerClock;
  /** Submitters and the fee-bump account. None of them may play a part in a payment. */
  facilitatorAddresses: ReadonlySet<string>;
  /** Their raw public keys (32 bytes each). */
  facilitatorKeys: readonly Uint8Array[];
  feePolicy: FeePolicy;
  /** Does the same as sightLedgers; callers that ask at the same time share one answer. */
  sightLedgers: () => Promise<LedgerSighting>;
  /** Does the same as recentPaceSeconds; shared in the same way. */
  recentPaceSeconds: (sighting: LedgerSighting) => Promise<number | undefined>;
}

/** A payment that the network would execute, with its simulation. */
export interface VerifiedPayment {
  payment: Payment;
  simulation: Simulation;
}

/** The inputs of the checks that need no network. */
export interface ReadDeps extends Pick<VerifyDeps, 'facilitatorAddresses' | 'leeway'> {
  policy: Pick<PaymentPolicy, 'refusal'>;
  /** Refuses parties whose earlier payments failed and cost too much. */
  payers: { refusal(party: string): Refusal | undefined };
}

/**
 * Runs the checks that need no network, in their fixed order (see CONTRIBUTING.md), and then the operator's policy
 * without its external check. The earlier refusal wins.
 */
export function readRequest(
  request: SchemeRequest,
  { facilitatorAddresses, policy, payers, leeway }: ReadDeps,
): Payment | Refused {
  const refusal = checkProtocol(request);
  if (refusal !== undefined) return { refusal };
  const transaction = decodeTransaction(request.paymentPayload.payload);
  if ('code' in transaction) return { refusal: transaction };
  const payment = readPayment(transaction, request.paymentRequirements, facilitatorAddresses);
  if ('refusal' in payment) return payment;
  const { payer } = payment;
  const refused = policy.refusal(payment) ?? payers.refusal(partyOf(payment, leeway));
  return refused === undefined ? payment : { refusal: refused, ...(payer !== undefined && { payer }) };
}

/**
 * Runs the checks that follow: one simulation, then what it shows and what was signed. The fee comes before the events,
 * and the events before the authorization, since the scheme's codes are inherited with their precedence. Throws if the
 * RPC fails.
 */
export async function examine(deps: VerifyDeps, payment: Payment): Promise<VerifiedPayment | NotExecuted> {
  const simulation = await simulate(deps, payment);
  if ('code' in simulation) return { ...simulation, ...(await checkRecipient(deps, payment)) };
  // Without entries, the simulation recorded those that would be needed, at a fee that no settlement would pay.
  const isRecorded = payment.authorization.length === 0;
  const refusal =
    (isRecorded
      ? undefined
      : checkFee(simulation.resourceFeeStroops, deps.feePolicy, () =>
          isFirstToContract(simulation, payment),
        )) ??
    checkEvents(simulation.events, payment) ??
    checkAuthorization(payment, {
      facilitatorKeys: deps.facilitatorKeys,
      expirationBound: await findExpirationBound(deps, payment, simulation.latestLedger),
    });
  return refusal ?? { payment, simulation };
}

/**
 * Returns the expiry bound. Before it refuses a payment, this looks at the ledgers once more: an honest client may have
 * read from a node that is ahead, may know the pace better, or may know that it has just changed. Payments within the
 * first bound need no extra RPC call.
 */
async function findExpirationBound(
  { clock, sightLedgers, recentPaceSeconds }: VerifyDeps,
  payment: Payment,
  currentLedger: number,
): Promise<number> {
  const isMet = (bound: number): boolean => lastExpiration(payment) <= bound;
  const boundFrom = (ledger: number, ledgerSeconds: number): number =>
    expirationBound(ledger, payment.maxTimeoutSeconds, ledgerSeconds);
  const bound = boundFrom(currentLedger, clock.ledgerSeconds());
  if (isMet(bound)) return bound;
  const sighting = await sightLedgers();
  const ledger = Math.max(currentLedger, sighting.latestLedger);
  const known = boundFrom(ledger, clock.ledgerSeconds());
  if (isMet(known)) return known;
  const recent = await recentPaceSeconds(sighting);
  return recent === undefined ? known : Math.max(known, boundFrom(ledger, recent));
}
