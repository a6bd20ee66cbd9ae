/** What an execution used: its bytes exactly, its instructions by an estimate. */
import type { xdr } from '@stellar/stellar-sdk';
import { isClassic } from '../ledger/keys.ts';
import type { Key } from '../ledger/keys.ts';
import { contractEvents } from './events.ts';
import type { Execution } from './execute.ts';

export interface UsedResources {
  instructions: number;
  diskReadBytes: number;
  writeBytes: number;
  /** Contract events and return value. */
  eventsBytes: number;
}

export function usedResources(
  execution: Execution,
  { hostFunction, auth }: { hostFunction: xdr.HostFunction; auth: readonly xdr.SorobanAuthorizationEntry[] },
): UsedResources {
  const { changes, entriesBefore, outcome } = execution;
  const events = contractEvents(execution).map((event) => event.toXdr().length);
  const inputs = [hostFunction, ...auth].map((input) => input.toXdr().length);
  return {
    instructions: estimateInstructions(execution, inputs, events.length),
    diskReadBytes: total(
      entriesBefore.filter(({ key }) => isClassic(key.xdr)).map(({ bytes }) => bytes.length),
    ),
    writeBytes: total(changes.map(({ after }) => after?.bytes.length ?? 0)),
    eventsBytes: total(events) + (outcome.ok ? outcome.value.toXdr().length : 0),
  };
}

/**
 * Instructions of the parts of a call. Decoding costs are the network's own parameters; the rest is fitted to
 * counts of the real host, which it meets within 5 %.
 */
const INSTRUCTIONS = {
  call: 29_000,
  /** Of every XDR value that the host decodes, and of each of its bytes. */
  decodedValue: 59_052,
  decodedByte: 4_001 / 128,
  footprintKey: 28_000,
  /** Of a value that the contract stores for a holder: a balance or an allowance. */
  storedValue: 21_500,
  signatureCheck: 445_000,
  event: 27_000,
  /** The contract of an asset with an issuer looks its asset up more often. */
  creditAsset: 17_500,
};
const TTL_ENTRY_BYTES = 48;

function estimateInstructions(execution: Execution, inputBytes: readonly number[], events: number): number {
  const { footprint, entriesBefore, meter } = execution;
  const keys = [...footprint.readOnly, ...footprint.readWrite].map(({ bytes }) => bytes.length);
  const entries = entriesBefore.flatMap(({ bytes, liveUntilLedger }) =>
    liveUntilLedger === null ? [bytes.length] : [bytes.length, TTL_ENTRY_BYTES],
  );
  // Besides these: the source account and the declared resources, which hold the keys.
  const decodedValues = inputBytes.length + entries.length + 2;
  const decodedBytes = total(inputBytes) + total(entries) + total(keys);
  return Math.round(
    INSTRUCTIONS.call +
      decodedValues * INSTRUCTIONS.decodedValue +
      decodedBytes * INSTRUCTIONS.decodedByte +
      keys.length * INSTRUCTIONS.footprintKey +
      footprint.readWrite.filter(isStoredValue).length * INSTRUCTIONS.storedValue +
      meter.signatureChecks * INSTRUCTIONS.signatureCheck +
      meter.creditAssetCalls * INSTRUCTIONS.creditAsset +
      events * INSTRUCTIONS.event,
  );
}

function isStoredValue({ xdr: key }: Key): boolean {
  return key.type === 'contractData' && key.contractData.key.type !== 'scvLedgerKeyNonce';
}

function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
