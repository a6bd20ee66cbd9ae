import { xdr } from '@stellar/stellar-sdk';
import type { Leeway } from '../leeway.ts';
import type { Payment } from '../../payment.ts';
import { refuse, type Refusal } from '../../refusal.ts';
import { meaningOf } from '../../../stellar/hostError.ts';
import { INVALID_PARAMS, RpcFault } from '../../../stellar/rpc/fault.ts';
import type { Purpose } from '../../../stellar/rpc/transport.ts';
import type { RpcAnswers } from '../../../stellar/rpc/answers.ts';
import type { Rpc } from '../../../stellar/rpc/pool.ts';
import { checkInstructions } from './instructions.ts';

/** The result of a successful simulation. */
export interface Simulation {
  /** The ledger that it ran on, which is the current ledger of this verification. */
  latestLedger: number;
  resourceFeeStroops: number;
  /** Base64 XDR of SorobanTransactionData: footprint and resources for the settlement. */
  transactionData: string;
  /** The ledger entries that it would create: base64 XDR of their keys. */
  createdKeys: string[];
  /** The events of calls that took effect, without the host's own diagnostics, which say nothing of balances. */
  events: SimulatedEvent[];
}

/** 'unreadable': it holds something of a newer protocol that this SDK does not know. */
export type SimulatedEvent = xdr.ContractEvent | 'unreadable';

/** Says that the network would not execute it, and as of which ledger, if known. */
export type NotExecuted = Refusal & { latestLedger?: number };

/**
 * Simulates the client's transaction as it was sent, so that verify and settle judge the same thing. Neither its source
 * nor its bids matter: the entries bind only the invocation. If there are entries, the host checks them. If there are
 * none, it records which would be needed, and checkAuthorization refuses.
 */
export async function simulate(deps: SimulateDeps, payment: Payment): Promise<Simulation | NotExecuted> {
  const { leeway, purpose } = deps;
  const asked = leeway.of(payment);
  const simulation = await simulateWith(deps, payment, asked);
  if (asked === 0 || 'code' in simulation) return simulation;
  const needed = await leeway.learn(payment, simulation.transactionData, purpose);
  const enough = needed > asked ? await simulateWith(deps, payment, needed) : simulation;
  if ('code' in enough) return enough;
  return (await checkInstructions(deps, enough.transactionData)) ?? enough;
}

export interface SimulateDeps {
  rpc: Rpc;
  purpose: Purpose;
  leeway: Leeway;
}

async function simulateWith(
  { rpc, purpose }: SimulateDeps,
  payment: Payment,
  instructionLeeway: number,
): Promise<Simulation | NotExecuted> {
  const params = {
    transaction: payment.transaction,
    ...(instructionLeeway > 0 && { resourceConfig: { instructionLeeway } }),
    ...(payment.authorization.length > 0 && { authMode: 'enforce' }),
  };
  try {
    return readSimulation(await rpc.call('simulateTransaction', params, purpose));
  } catch (fault) {
    if (fault instanceof RpcFault && fault.code === INVALID_PARAMS)
      return failed('it cannot read the transaction');
    throw fault;
  }
}

function readSimulation(answer: RpcAnswers['simulateTransaction']): Simulation | NotExecuted {
  const { latestLedger } = answer;
  if (answer.error !== undefined) return failed(reasonOf(answer.error), latestLedger);
  if (answer.restorePreamble !== undefined)
    return failed('archived ledger entries must be restored first', latestLedger);
  const { minResourceFee, transactionData, events = [], stateChanges } = answer;
  if (latestLedger === undefined || !/^\d+$/.test(minResourceFee ?? '') || !transactionData) {
    throw new RpcFault(
      'simulateTransaction: the answer lacks latestLedger, minResourceFee or transactionData',
    );
  }
  return {
    latestLedger,
    resourceFeeStroops: Number(minResourceFee),
    transactionData,
    createdKeys: (stateChanges ?? []).flatMap(({ type, key }) => (type === 'created' && key ? [key] : [])),
    events: events.flatMap((event) => readEvent(Buffer.from(event, 'base64')) ?? []),
  };
}

/** Offsets in a diagnostic event: a flag, then the event. In the event, a contract's id comes before the type. */
const EVENT_AT = 4;
const CONTRACT_FLAG_AT = 8;
const TYPE_AT = 12;
const CONTRACT_ID_BYTES = 32;
const NO = 0;
/** No event of any protocol is shorter. */
const LEAST_EVENT_BYTES = 16;

/** Returns undefined if the event changed nothing, like most. Decoding one costs as much as all checks of it would. */
function readEvent(bytes: Buffer): SimulatedEvent | undefined {
  if (bytes.length < LEAST_EVENT_BYTES) throw new RpcFault('simulateTransaction: an event makes no sense');
  const typeAt = bytes[CONTRACT_FLAG_AT + 3] === NO ? TYPE_AT : TYPE_AT + CONTRACT_ID_BYTES;
  const isDiagnostic = bytes[typeAt + 3] === xdr.ContractEventType.diagnostic.value;
  const isOfFailedCall = bytes[EVENT_AT - 1] === NO;
  if (isDiagnostic || isOfFailedCall) return undefined;
  try {
    return xdr.ContractEvent.fromXdr(bytes.subarray(EVENT_AT));
  } catch {
    return 'unreadable';
  }
}

/** Returns what the host's error means. Other texts are the provider's own, and are not passed on. */
function reasonOf(error: unknown): string {
  return meaningOf(String(error)) ?? 'the network gave a reason of its own';
}

function failed(why: string, latestLedger?: number): NotExecuted {
  const refusal = refuse(
    'invalid_exact_stellar_payload_simulation_failed',
    `The network would not execute this transfer: ${why}.`,
  );
  return { ...refusal, ...(latestLedger !== undefined && { latestLedger }) };
}
