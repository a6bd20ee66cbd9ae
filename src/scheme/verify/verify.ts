import { checkAuthorization, expirationBound, lastExpiration } from './checks/authorization.ts';
import { checkEvents } from './checks/events.ts';
import { checkFee } from './checks/fee.ts';
import { isFirstToContract } from './checks/firstPayment.ts';
import type { FeePolicy } from './checks/fee.ts';
import { checkPolicy } from './checks/policy.ts';
import type { PaymentPolicy } from './checks/policy.ts';
import { checkProtocol } from './checks/protocol.ts';
import { checkRecipient } from './checks/recipient.ts';
import { simulate } from './checks/simulation.ts';
import type { NotExecuted, Simulation } from './checks/simulation.ts';
import { readPayment } from './checks/transaction.ts';
import type { Leeway } from './leeway.ts';
import type { LedgerClock, LedgerSighting } from '../../stellar/ledgerClock.ts';
import { decodeTransaction } from './payload.ts';
import type { Payment, SchemeRequest } from '../payment.ts';
import { partyOf } from './party.ts';
import type { Refusal, Refused } from '../refusal.ts';
import type { Purpose } from '../../stellar/rpc/node.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';

export interface VerifyDeps {
  rpc: Rpc;
  /** Its calls to the RPC count for this purpose. */
  purpose: Purpose;
  leeway: Leeway;
  clock: LedgerClock;
  /** Submitters and the fee-bump account: none of them may play a part in a payment (specification 1). */
  facilitatorAddresses: ReadonlySet<string>;
  /** Their raw public keys (32 bytes each). */
  facilitatorKeys: readonly Uint8Array[];
  feePolicy: FeePolicy;
  /** As sightLedgers; those that ask at the same time share one answer. */
  sightLedgers: () => Promise<LedgerSighting>;
  /** As recentPaceSeconds; shared likewise. */
  recentPaceSeconds: (sighting: LedgerSighting) => Promise<number | undefined>;
}

/** A payment that the network would execute, and how. */
export interface VerifiedPayment {
  payment: Payment;
  simulation: Simulation;
}

/** The inputs of the rungs that need no network. */
export interface ReadDeps extends Pick<VerifyDeps, 'facilitatorAddresses' | 'leeway'> {
  policy: PaymentPolicy;
  /** Whose payments are refused for what earlier ones cost. */
  payers: { refusal(party: string): Refusal | undefined };
}

/**
 * The rungs that need no network, in the specification's order, and after them the operator's policy. The earlier refusal
 * wins.
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
  const refused = checkPolicy(payment, policy) ?? payers.refusal(partyOf(payment, leeway));
  return refused === undefined ? payment : { refusal: refused, ...(payer !== undefined && { payer }) };
}

/**
 * The rungs after them: one simulation, then what it shows and what was signed. Fee before events before
 * authorization, as the scheme's codes are inherited with their precedence. Throws where the RPC fails.
 */
export async function examine(deps: VerifyDeps, payment: Payment): Promise<VerifiedPayment | NotExecuted> {
  const simulation = await simulate(deps, payment);
  if ('code' in simulation) return { ...simulation, ...(await checkRecipient(deps, payment)) };
  // Without entries the simulation recorded what would be needed, at a fee that no settlement would pay.
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
 * The expiry bound. Before a payment is refused for it, the ledgers are looked at once more: an honest client may have
 * read from a node that is ahead, or know the pace better, or know that it has just changed. Every other verification
 * makes one RPC call.
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
