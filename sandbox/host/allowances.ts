/** Allowances: what a holder lets another address spend, until a ledger. Temporary entries of the asset contract. */
import type { xdr } from '@stellar/stellar-sdk';
import { allowanceKey } from '../ledger/keys.ts';
import { contractDataEntry, contractValueOf } from '../ledger/state.ts';
import { MAX_ENTRY_TTL_LEDGERS } from '../protocol.ts';
import type { TokenCall } from './balances.ts';
import { contractError } from './errors.ts';
import { fieldOf, i128, i128Of, map, u32 } from './values.ts';

interface Allowance {
  amount: bigint;
  liveUntilLedger: number;
}

function readAllowance(
  { host, asset }: TokenCall,
  from: xdr.ScAddress,
  spender: xdr.ScAddress,
): Allowance | undefined {
  const value = contractValueOf(host.read(allowanceKey(asset.contract, from, spender)));
  if (!value) return undefined;
  const [amount, liveUntil] = [fieldOf(value, 'amount'), fieldOf(value, 'live_until_ledger')];
  return {
    amount: (amount && i128Of(amount)) ?? 0n,
    liveUntilLedger: liveUntil?.type === 'scvU32' ? liveUntil.u32 : 0,
  };
}

export function allowanceOf(call: TokenCall, from: xdr.ScAddress, spender: xdr.ScAddress): bigint {
  const allowance = readAllowance(call, from, spender);
  return !allowance || allowance.liveUntilLedger < call.host.ledger ? 0n : allowance.amount;
}

export function approveAllowance(
  call: TokenCall,
  from: xdr.ScAddress,
  spender: xdr.ScAddress,
  amount: bigint,
  liveUntilLedger: number,
): void {
  const { host, asset } = call;
  const refuse = (message: string, limit: number) =>
    host.fail(contractError('allowance'), message, u32(liveUntilLedger), u32(limit));
  if (liveUntilLedger > host.ledger + MAX_ENTRY_TTL_LEDGERS - 1) {
    refuse('live_until is greater than max', MAX_ENTRY_TTL_LEDGERS);
  }
  if (amount > 0n && liveUntilLedger < host.ledger)
    refuse('live_until must be >= ledger sequence', host.ledger);
  if (!readAllowance(call, from, spender) && amount === 0n) return;
  const key = allowanceKey(asset.contract, from, spender);
  const value = map({ amount: i128(amount), live_until_ledger: u32(liveUntilLedger) });
  host.write(key, contractDataEntry(key, value), amount > 0n ? liveUntilLedger : 0);
}

export function spendAllowance(
  call: TokenCall,
  from: xdr.ScAddress,
  spender: xdr.ScAddress,
  amount: bigint,
): void {
  const allowed = allowanceOf(call, from, spender);
  if (allowed < amount) {
    call.host.fail(contractError('allowance'), 'not enough allowance to spend', i128(allowed), i128(amount));
  }
  const allowance = readAllowance(call, from, spender);
  if (!allowance || amount === 0n) return;
  approveAllowance(call, from, spender, allowed - amount, allowance.liveUntilLedger);
}
