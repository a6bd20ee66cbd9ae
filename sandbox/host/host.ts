/** Runs the network's own Soroban host for each protocol: simulates calls, and runs them as a ledger does. */
import { randomBytes } from 'node:crypto';
import { pack, packList, type Reader } from '../bytes.ts';
import type { PublicNetwork } from '../networks.ts';
import { sha256 } from '../protocol.ts';
import { createInstance, HostTrap, type ReadEntry } from './instance.ts';
import { settingsOf } from './settings.ts';

/** The ledger that a call runs in. */
export interface At {
  sequence: number;
  /** Its closing time, in Unix seconds. */
  seconds: number;
}

/** The source of a simulation's authorization entries: the envelope, or a recording of what the call needs. */
export interface AuthMode {
  kind: 'enforce' | 'record' | 'record_allow_nonroot';
  /** Records entries with credentials that bind the address (CAP-71). */
  upgraded: boolean;
}

/** All bytes are XDR. */
export type Simulation =
  /** The host cannot read the call. */
  | { type: 'refused'; error: string }
  | { type: 'failed'; error: string; events: Buffer[] }
  | {
      type: 'succeeded';
      events: Buffer[];
      value: Buffer;
      /** SorobanTransactionData, which the transaction must declare. */
      data: Buffer;
      resourceFee: bigint;
      auth: Buffer[];
      changes: { key: Buffer; before: Buffer | undefined; after: Buffer | undefined }[];
    };

/** A contract event, whole and in parts. */
export interface ContractEvent {
  event: Buffer;
  contractId: Buffer | undefined;
  topics: Buffer[];
  data: Buffer;
}

export interface EntryChange {
  kind: 'written' | 'removed' | 'extended';
  key: Buffer;
  entry: Buffer | undefined;
  /** The last ledger in which it lives; 0 if it cannot expire. */
  liveUntilLedger: number;
}

/** The outcome of a call. A failed call changes nothing and pays no refundable fee. */
export interface Invocation {
  ok: boolean;
  /** InvokeHostFunctionResult. */
  result: Buffer;
  value: Buffer | undefined;
  events: ContractEvent[];
  diagnosticEvents: Buffer[];
  changes: EntryChange[];
  /** Stroops: for the declared resources; for events and rent together; for the rent alone. */
  nonRefundable: bigint;
  refundable: bigint;
  rent: bigint;
}

export interface Host {
  simulate(envelope: Buffer, at: At, auth: AuthMode, instructionLeeway: number): Simulation;
  /** Runs an admitted transaction. */
  invoke(envelope: Buffer, at: At, seed: Buffer): Invocation;
  /** Returns the least resource fee for an envelope, in stroops; undefined if this protocol's nodes cannot read it. */
  leastResourceFee(envelope: Buffer): bigint | undefined;
}

const AUTH_MODES = { enforce: 0, record: 1, record_allow_nonroot: 2 };
const CHANGES = ['written', 'removed', 'extended'] as const;
/** INVOKE_HOST_FUNCTION_SUCCESS, before the hash of the outcome. */
const SUCCESS = 0;
const TRAPPED = pack(-2 >>> 0);

export function createHost(protocol: number, network: PublicNetwork, readEntry: ReadEntry): Host {
  const instance = createInstance(protocol, settingsOf(network), readEntry);
  const leastResourceFee = (envelope: Buffer): bigint | undefined => {
    const fee = instance.leastFee(envelope);
    return fee < 0n ? undefined : fee;
  };
  return {
    leastResourceFee,
    simulate(envelope, { sequence, seconds }, { kind, upgraded }, leeway) {
      const mode = [AUTH_MODES[kind], upgraded ? 1 : 0, leeway];
      // Random, so that two equal requests get different nonces.
      const input = pack(sequence, BigInt(seconds), ...mode, randomBytes(32), envelope);
      try {
        return readSimulation(instance.call('simulate', input));
      } catch (error) {
        if (!(error instanceof HostTrap)) throw error;
        return { type: 'refused', error: `the host trapped: ${error.message}` };
      }
    },
    invoke(envelope, { sequence, seconds }, seed) {
      try {
        return readInvocation(instance.call('invoke', pack(sequence, BigInt(seconds), seed, envelope)));
      } catch (error) {
        if (!(error instanceof HostTrap)) throw error;
        return { ...FAILED, result: TRAPPED, nonRefundable: leastResourceFee(envelope) ?? 0n };
      }
    },
  };
}

function readSimulation(answer: Reader): Simulation {
  const type = (['refused', 'failed', 'succeeded'] as const)[answer.number()];
  if (type === 'refused') return { type, error: answer.bytes().toString() };
  const events = answer.list(answer.bytes);
  if (type !== 'succeeded') return { type: 'failed', events, error: answer.bytes().toString() };
  return {
    ...{ type, events, value: answer.bytes(), data: answer.bytes(), resourceFee: answer.bigint() },
    auth: answer.list(answer.bytes),
    changes: answer.list(() => ({
      key: answer.bytes(),
      before: answer.optional(),
      after: answer.optional(),
    })),
  };
}

const FAILED = {
  ...{ ok: false, value: undefined, events: [], diagnosticEvents: [], changes: [] },
  ...{ refundable: 0n, rent: 0n },
};

function readInvocation(answer: Reader): Invocation {
  const nonRefundable = answer.bigint();
  const diagnosticEvents = answer.list(answer.bytes);
  const ok = answer.number() === 1;
  if (!ok) return { ...FAILED, result: answer.bytes(), diagnosticEvents, nonRefundable };
  const value = answer.bytes();
  const events = answer.list(() => ({
    event: answer.bytes(),
    contractId: answer.optional(),
    topics: answer.list(answer.bytes),
    data: answer.bytes(),
  }));
  const hash = sha256(pack(value, packList(events.map(({ event }) => event))));
  const [rent, refundable] = [answer.bigint(), answer.bigint()];
  const changes = answer.list(() => ({
    kind: CHANGES[answer.number()]!,
    key: answer.bytes(),
    entry: answer.optional(),
    liveUntilLedger: answer.number(),
  }));
  const result = pack(SUCCESS, hash);
  return { ok, result, value, events, diagnosticEvents, changes, nonRefundable, refundable, rent };
}
