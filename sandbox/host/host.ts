/** One invocation in progress: its storage, its events and the contract that is running. */
import { xdr } from '@stellar/stellar-sdk';
import { isClassic } from '../ledger/keys.ts';
import type { Key } from '../ledger/keys.ts';
import type { LedgerView, StoredEntry } from '../ledger/state.ts';
import { errorOf, HostError } from './errors.ts';
import { createStorage, OutsideFootprint } from './storage.ts';
import type { Footprint, Storage } from './storage.ts';
import { accountAddress, addressValue, bytes, i64, string, symbol, vec, VOID } from './values.ts';
import type { Value } from './values.ts';

export interface HostEvent {
  kind: 'contract' | 'diagnostic';
  contract: xdr.ContractId | null;
  topics: Value[];
  data: Value;
}

/** What an invocation did beyond storage, for the estimate of its instructions. */
export interface Meter {
  signatureChecks: number;
  creditAssetCalls: number;
}

export interface Host {
  /** Sequence of the ledger that the invocation runs in. */
  ledger: number;
  storage: Storage;
  events: HostEvent[];
  meter: Meter;
  read(key: Key): StoredEntry | undefined;
  write(key: Key, data: xdr.LedgerEntryData, liveUntilLedger?: number): void;
  /** Runs a contract: events within it are its own. */
  inFrame<T>(contract: xdr.ContractId, run: () => T): T;
  /** Leaves a diagnostic event of an error. */
  report(error: xdr.ScError, message: string, ...args: Value[]): void;
  /** Ends the invocation with an error that is reported. */
  fail(error: xdr.ScError, message: string, ...args: Value[]): never;
  emit(kind: HostEvent['kind'], topics: Value[], data: Value): void;
}

export function createHost(state: LedgerView, ledger: number, declared?: Footprint): Host {
  const storage = createStorage(state, ledger, declared);
  const meter: Meter = { signatureChecks: 0, creditAssetCalls: 0 };
  const events: HostEvent[] = [];
  /** Contracts being executed, innermost last. */
  const frames: xdr.ContractId[] = [];

  const emit: Host['emit'] = (kind, topics, data) => {
    events.push({ kind, contract: frames.at(-1) ?? null, topics, data });
  };
  const report: Host['report'] = (error, message, ...args) => {
    emit('diagnostic', [symbol('error'), xdr.ScVal.scvError(error)], eventData([string(message), ...args]));
  };
  const fail: Host['fail'] = (error, message, ...args) => {
    report(error, message, ...args);
    throw new HostError(error);
  };
  const guarded = <T>(run: () => T): T => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof OutsideFootprint)) throw error;
      const { name, args } = describeKey(error.key.xdr);
      return fail(
        errorOf('Storage', 'ExceededLimit'),
        `trying to access ${name} outside of the footprint`,
        ...args,
      );
    }
  };
  return {
    ledger,
    storage,
    events,
    meter,
    read: (key) => guarded(() => storage.get(key)),
    write: (key, data, liveUntilLedger) => guarded(() => storage.put(key, data, liveUntilLedger)),
    inFrame(contract, run) {
      frames.push(contract);
      try {
        return run();
      } finally {
        frames.pop();
      }
    },
    report,
    fail,
    emit,
  };
}

/** Several values are a vector in an event, one stands for itself, none is void. */
export function eventData(values: Value[]): Value {
  return values.length > 1 ? vec(...values) : (values[0] ?? VOID);
}

/** Ends the invocation because a value that must be there is not. */
export function failMissing(host: Host, key: Key): never {
  const { name } = describeKey(key.xdr);
  return host.fail(errorOf('Storage', 'MissingValue'), `trying to get non-existing value for ${name}`);
}

function describeKey(key: xdr.LedgerKey): { name: string; args: Value[] } {
  if (key.type === 'account')
    return { name: 'account', args: [addressValue(accountAddress(key.account.accountId))] };
  if (key.type === 'trustline') {
    return { name: 'account trustline', args: [addressValue(accountAddress(key.trustLine.accountId))] };
  }
  if (key.type === 'contractCode')
    return { name: 'contract code', args: [bytes(key.contractCode.hash.value)] };
  if (isClassic(key) || key.type !== 'contractData') return { name: 'ledger key', args: [] };
  const { contract, key: dataKey } = key.contractData;
  if (dataKey.type === 'scvLedgerKeyContractInstance') {
    return { name: 'contract instance', args: [addressValue(contract)] };
  }
  if (dataKey.type === 'scvLedgerKeyNonce') {
    return { name: 'nonce', args: [addressValue(contract), i64(dataKey.nonceKey.nonce)] };
  }
  return { name: 'contract data key', args: [addressValue(contract), dataKey] };
}
