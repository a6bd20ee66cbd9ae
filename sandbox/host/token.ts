/** The asset contract's functions (CAP-46-06, events of CAP-67), in the host's order of checks. */
import { xdr } from '@stellar/stellar-sdk';
import { DECIMALS } from '../ledger/assets.ts';
import type { Asset } from '../ledger/assets.ts';
import { allowanceOf, approveAllowance, spendAllowance } from './allowances.ts';
import { balanceOf, isAuthorized, isIssuer, receive, spend } from './balances.ts';
import type { TokenCall } from './balances.ts';
import { contractError, errorOf, HostError } from './errors.ts';
import type { Host } from './host.ts';
import {
  accountAddress,
  addressValue,
  bool,
  i128,
  i128Of,
  isHolder,
  map,
  sameAddress,
  string,
  symbol,
  u32,
  u64,
  vec,
  VOID,
} from './values.ts';
import type { Holder, Value } from './values.ts';

interface TokenFunction {
  arity: number;
  run(call: TokenCall, args: Value[]): Value;
}

const FUNCTIONS: Record<string, TokenFunction> = {
  transfer: {
    arity: 3,
    run: (call, [from, to, amount]) => transfer(call, toHolder(from), toRecipient(to), toInt128(amount)),
  },
  transfer_from: {
    arity: 4,
    run: (call, [spender, from, to, amount]) =>
      transferFrom(call, toHolder(spender), toHolder(from), toHolder(to), toInt128(amount)),
  },
  approve: {
    arity: 4,
    run: (call, [from, spender, amount, liveUntil]) =>
      approve(call, toHolder(from), toHolder(spender), toInt128(amount), toU32(liveUntil)),
  },
  mint: { arity: 2, run: (call, [to, amount]) => mint(call, toHolder(to), toInt128(amount)) },
  burn: { arity: 2, run: (call, [from, amount]) => burn(call, toHolder(from), toInt128(amount)) },
  balance: { arity: 1, run: (call, [holder]) => i128(balanceOf(call, toHolder(holder))) },
  authorized: { arity: 1, run: (call, [holder]) => bool(isAuthorized(call, toHolder(holder))) },
  allowance: {
    arity: 2,
    run: (call, [from, spender]) => i128(allowanceOf(call, toHolder(from), toHolder(spender))),
  },
  decimals: { arity: 0, run: () => u32(DECIMALS) },
  name: { arity: 0, run: ({ asset }) => string(asset.name) },
  symbol: { arity: 0, run: ({ asset }) => string(asset.symbol) },
  admin: { arity: 0, run: ({ asset }) => addressValue(adminOf(asset)) },
};

/** Functions that the sandbox does not execute, with their numbers of arguments: a wrong one is noticed first. */
const OTHER_ARITIES: Record<string, number> = {
  init_asset: 1,
  burn_from: 3,
  clawback: 2,
  set_authorized: 2,
  set_admin: 1,
  trust: 1,
};

/** Runs one function of an asset contract; ends the invocation where the contract would. */
export function callToken(
  host: Host,
  asset: Asset,
  call: xdr.InvokeContractArgs,
  requireAuth: (address: xdr.ScAddress) => void,
): Value {
  const name = call.functionName.toString();
  const found = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  const arity = found?.arity ?? (Object.hasOwn(OTHER_ARITIES, name) ? OTHER_ARITIES[name] : undefined);
  const called = symbol(call.functionName);
  if (arity !== undefined && call.args.length !== arity) {
    host.fail(errorOf('Context', 'UnexpectedSize'), 'wrong number of args to func', called);
  }
  if (!found) {
    return host.fail(errorOf('Value', 'InvalidInput'), 'symbol not found in slice of strs', called);
  }
  if (asset.credit) host.meter.creditAssetCalls++;
  return found.run({ host, asset, requireAuth }, call.args);
}

interface Recipient {
  holder: Holder;
  /** Of a muxed address. */
  id: bigint | undefined;
}

function transfer(call: TokenCall, from: Holder, to: Recipient, amount: bigint): Value {
  requireNonNegative(call, amount);
  call.requireAuth(from);
  return move(call, from, to, amount);
}

function transferFrom(call: TokenCall, spender: Holder, from: Holder, to: Holder, amount: bigint): Value {
  requireNonNegative(call, amount);
  call.requireAuth(spender);
  spendAllowance(call, from, spender, amount);
  return move(call, from, { holder: to, id: undefined }, amount);
}

/** Moves an amount and tells of it: the issuer's payments are mints, payments to it are burns. */
function move(call: TokenCall, from: Holder, to: Recipient, amount: bigint): Value {
  spend(call, from, amount);
  receive(call, to.holder, amount);
  const data = to.id === undefined ? i128(amount) : map({ amount: i128(amount), to_muxed_id: u64(to.id) });
  if (sameAddress(from, to.holder)) emit(call, 'transfer', [from, to.holder], data);
  else if (isIssuer(call, from)) emit(call, 'mint', [to.holder], data);
  else if (isIssuer(call, to.holder)) emit(call, 'burn', [from], i128(amount));
  else emit(call, 'transfer', [from, to.holder], data);
  return VOID;
}

function approve(
  call: TokenCall,
  from: Holder,
  spender: Holder,
  amount: bigint,
  liveUntilLedger: number,
): Value {
  requireNonNegative(call, amount);
  call.requireAuth(from);
  approveAllowance(call, from, spender, amount, liveUntilLedger);
  emit(call, 'approve', [from, spender], vec(i128(amount), u32(liveUntilLedger)));
  return VOID;
}

function mint(call: TokenCall, to: Holder, amount: bigint): Value {
  requireNonNegative(call, amount);
  requireNotIssuer(call, to);
  call.requireAuth(adminOf(call.asset));
  receive(call, to, amount);
  emit(call, 'mint', [to], i128(amount));
  return VOID;
}

function burn(call: TokenCall, from: Holder, amount: bigint): Value {
  requireNonNegative(call, amount);
  if (!call.asset.credit) {
    call.host.fail(contractError('operationNotSupported'), 'operation invalid on native asset');
  }
  requireNotIssuer(call, from);
  call.requireAuth(from);
  spend(call, from, amount);
  emit(call, 'burn', [from], i128(amount));
  return VOID;
}

function emit({ host, asset }: TokenCall, name: string, parties: Holder[], data: Value): void {
  host.emit('contract', [symbol(name), ...parties.map(addressValue), string(asset.name)], data);
}

function requireNonNegative({ host }: TokenCall, amount: bigint): void {
  if (amount < 0n) host.fail(contractError('negativeAmount'), 'negative amount is not allowed', i128(amount));
}

function requireNotIssuer(call: TokenCall, holder: Holder): void {
  if (isIssuer(call, holder)) {
    call.host.fail(contractError('operationNotSupported'), 'operation invalid on issuer');
  }
}

/** The issuer; the native asset has no admin. */
function adminOf({ credit }: Asset): xdr.ScAddress {
  if (!credit) throw new HostError(errorOf('Storage', 'MissingValue'));
  return accountAddress(credit.issuer);
}

/** Arguments of a wrong type end the invocation without an event. */
function failType(): never {
  throw new HostError(errorOf('Value', 'UnexpectedType'));
}

function toHolder(value: Value | undefined): Holder {
  return value?.type === 'scvAddress' && isHolder(value.address) ? value.address : failType();
}

function toRecipient(value: Value | undefined): Recipient {
  if (value?.type === 'scvAddress' && value.address.type === 'scAddressTypeMuxedAccount') {
    const { ed25519, id } = value.address.muxedAccount;
    const base = xdr.PublicKey.publicKeyTypeEd25519(ed25519);
    return { holder: xdr.ScAddress.scAddressTypeAccount(base), id };
  }
  return { holder: toHolder(value), id: undefined };
}

function toInt128(value: Value | undefined): bigint {
  return (value && i128Of(value)) ?? failType();
}

function toU32(value: Value | undefined): number {
  return value?.type === 'scvU32' ? value.u32 : failType();
}
