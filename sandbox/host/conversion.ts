/** What the host can hold: it takes every value over before a call runs and refuses those that it has no form for. */
import type { xdr } from '@stellar/stellar-sdk';
import { errorOf, HostError } from './errors.ts';
import type { Host } from './host.ts';
import { isHolder, u32 } from './values.ts';
import type { Value } from './values.ts';

type Report = Host['report'];
type ScSymbol = xdr.InvokeContractArgs['functionName'];

/** The errors of authorization entries leave no events: the host takes entries over before it records any. */
export const unreported: Report = () => {};

const FIRST_FORBIDDEN_BYTE = /[^a-zA-Z0-9_]/;
/** A longer symbol is an object of the host, which says more about what is wrong with it. */
const MAX_SMALL_SYMBOL_BYTES = 9;

/** Ends the invocation unless the host can hold a value. */
export function checkValue(value: Value, report: Report): void {
  try {
    checkContent(value, report);
  } catch (error) {
    if (error instanceof HostError) report(error.error, 'failed to convert ScVal to host value');
    throw error;
  }
}

function checkContent(value: Value, report: Report): void {
  switch (value.type) {
    case 'scvVec':
      if (!value.vec) throw new HostError(errorOf('Value', 'UnexpectedType'));
      for (const item of value.vec) checkValue(item, report);
      return;
    case 'scvMap':
      if (!value.map) throw new HostError(errorOf('Value', 'UnexpectedType'));
      return checkMap(value.map, report);
    case 'scvSymbol':
      return checkSymbol(value.sym, value.sym.length > MAX_SMALL_SYMBOL_BYTES ? report : unreported);
    case 'scvAddress':
      if (value.address.type === 'scAddressTypeMuxedAccount' || isHolder(value.address)) return;
      return refuse(report, errorOf('Object', 'UnexpectedType'), 'encountered unsupported ScAddress type');
    case 'scvContractInstance':
    case 'scvLedgerKeyContractInstance':
    case 'scvLedgerKeyNonce':
      throw new HostError(errorOf('Value', 'UnexpectedType'));
    default:
  }
}

function checkMap(entries: readonly xdr.ScMapEntry[], report: Report): void {
  for (const { key, val } of entries) {
    checkValue(key, report);
    checkValue(val, report);
  }
  for (const [index, { key }] of entries.entries()) {
    const previous = entries[index - 1]?.key;
    if (!previous || isBefore(previous, key)) continue;
    const message = 'ScMap was not sorted by key for conversion to host object';
    refuse(report, errorOf('Object', 'InvalidInput'), message);
  }
}

/** The host's order of map keys, as far as it can be told from XDR; other keys of one type only have to differ. */
function isBefore(a: Value, b: Value): boolean {
  if (a.type === 'scvSymbol' && b.type === 'scvSymbol') return Buffer.compare(a.sym.bytes, b.sym.bytes) < 0;
  const order = Buffer.compare(a.toXdr(), b.toXdr());
  return a.type === b.type ? order !== 0 : order < 0;
}

/** Ends the invocation unless a symbol has allowed characters only. */
export function checkSymbol(symbol: ScSymbol, report: Report): void {
  const text = Buffer.from(symbol.bytes).toString('latin1');
  const forbidden = FIRST_FORBIDDEN_BYTE.exec(text);
  if (!forbidden) return;
  const byte = text.charCodeAt(forbidden.index);
  refuse(report, errorOf('Value', 'InvalidInput'), 'byte is not allowed in Symbol', u32(byte));
}

function refuse(report: Report, error: xdr.ScError, message: string, ...args: Value[]): never {
  report(error, message, ...args);
  throw new HostError(error);
}
