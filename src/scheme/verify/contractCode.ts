/**
 * Calculates what it costs to read contract code. A node charges nothing for code that it keeps compiled, and charges
 * for all of it if it has not compiled the code yet. A simulation always takes the code for compiled.
 */
import { xdr } from '@stellar/stellar-sdk';
import { MAX_CODES_PER_PAYMENT, MAX_CODES_PER_READ, MAX_KNOWN_CODES } from '../limits.ts';
import type { Purpose } from '../../stellar/rpc/transport.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';

/** Returns the instructions to read all this code once. Keys are base64 XDR of LedgerKey. Throws if the RPC fails. */
export type CodeCost = (keys: readonly string[], purpose: Purpose) => Promise<number>;

/** Returns the code that a transaction may run, from base64 XDR of SorobanTransactionData; undefined if unreadable. */
export function codeKeysIn(transactionData: string): string[] | undefined {
  const { footprint } = resourcesIn(transactionData) ?? {};
  return footprint && [...footprint.readOnly, ...footprint.readWrite].flatMap(codeKey);
}

/** Returns the instructions that a transaction may use; undefined if its data is unreadable. */
export function instructionsIn(transactionData: string): number | undefined {
  return resourcesIn(transactionData)?.instructions;
}

function resourcesIn(transactionData: string): xdr.SorobanResources | undefined {
  try {
    return xdr.SorobanTransactionData.fromXdr(transactionData, 'base64').resources;
  } catch {
    return undefined;
  }
}

function codeKey(key: xdr.LedgerKey): string[] {
  return key.type === 'contractCode' ? [key.toXdr('base64')] : [];
}

/** Code never changes, so each is asked for once, as long as it is remembered. */
export function createCodeCost(rpc: Rpc): CodeCost {
  /** By key, newest last. */
  const costs = new Map<string, number>();

  async function learn(keys: readonly string[], purpose: Purpose): Promise<void> {
    const { entries } = await rpc.call('getLedgerEntries', { keys }, purpose);
    for (const { key, xdr: entry } of entries ?? []) {
      const cost = keys.includes(key) ? costIn(entry) : undefined;
      if (cost !== undefined) costs.set(key, cost);
      if (costs.size > MAX_KNOWN_CODES) costs.delete(costs.keys().next().value!);
    }
  }

  return async (all, purpose) => {
    const keys = all.slice(0, MAX_CODES_PER_PAYMENT);
    const unknown = keys.filter((key) => !costs.has(key));
    for (let start = 0; start < unknown.length; start += MAX_CODES_PER_READ)
      await learn(unknown.slice(start, start + MAX_CODES_PER_READ), purpose);
    return keys.reduce((sum, key) => sum + (costs.get(key) ?? 0), 0);
  };
}

/** Returns undefined if the entry is not code, or of a kind that this SDK does not know. */
function costIn(entry: string): number | undefined {
  try {
    const data = xdr.LedgerEntryData.fromXdr(entry, 'base64');
    return data.type === 'contractCode' ? costOf(data.contractCode) : undefined;
  } catch {
    return undefined;
  }
}

/** Leaves room for what was not measured: other versions of the host, and code that is read twice. */
const MARGIN = 1.1;
/** Instructions to take one byte from the ledger. */
const PER_BYTE = 40;
/** Instructions to parse one item of each kind: the host's cost parameters since protocol 21. */
const PARSING = {
  nInstructions: 199,
  nFunctions: 4_225,
  nGlobals: 1_378,
  nTableEntries: 235,
  nTypes: 8_293,
  nDataSegments: 1_855,
  nElemSegments: 2_567,
  nImports: 5_484,
  nExports: 3_355,
  nDataSegmentBytes: 1,
} as const;
const PARSING_AT_LEAST = 73_077;
/** Instructions to parse code that was put on the ledger before protocol 21, which did not count its items. */
const UNCOUNTED = { atLeast: 417_482, perByte: 358 };

function costOf({ ext, code }: xdr.ContractCodeEntry): number {
  return Math.ceil(MARGIN * (parsing(ext, code.length) + PER_BYTE * code.length));
}

function parsing(ext: xdr.ContractCodeEntryExt, bytes: number): number {
  if (ext.type !== 'v1') return UNCOUNTED.atLeast + UNCOUNTED.perByte * bytes;
  const { costInputs } = ext.v1;
  return (Object.keys(PARSING) as (keyof typeof PARSING)[]).reduce(
    (sum, item) => sum + PARSING[item] * costInputs[item],
    PARSING_AT_LEAST,
  );
}
