/** Checks that the recipient of an offer can receive its asset now. */
import { scValToNative, StrKey, xdr, type Asset } from '@stellar/stellar-sdk';
import { accountKey } from '../stellar/accounts.ts';
import {
  baseAddress,
  isMuxedContract,
  isRecipient,
  lacksMuxedContracts,
  MUXED_CONTRACT_PROTOCOL,
} from '../stellar/addresses.ts';
import { contractBalanceKey } from '../stellar/assetContract.ts';
import type { Rpc } from '../stellar/rpc/pool.ts';
import { tokenUnits } from '../stellar/units.ts';
import { baseUnits } from '../stellar/values.ts';
import type { Token } from './asset.ts';
import { readEntries } from './entries.ts';
import { ok, unpaid, type Finding } from './finding.ts';
import type { Offer } from './offers.ts';
import { quoted } from './quoted.ts';

/** Checks a recipient. `token` is undefined if the offer's asset cannot be paid with. Throws an RpcFault. */
export async function checkRecipient(
  rpc: Rpc,
  { place, entry: { payTo, amount } }: Offer,
  token: Token | undefined,
): Promise<Finding> {
  const check = `${place}.payTo`;
  if (typeof payTo !== 'string' || !isRecipient(payTo))
    return unpaid(check, `is ${quoted(payTo)}`, 'Name a Stellar address (G…, C…, M… or W…).');
  if (isMuxedContract(payTo)) {
    const { protocolVersion } = await rpc.call('getNetwork');
    if (lacksMuxedContracts(protocolVersion))
      return unpaid(
        check,
        `is a muxed contract, and the network runs protocol ${protocolVersion}, not ${MUXED_CONTRACT_PROTOCOL} yet`,
        `Name the contract itself: ${baseAddress(payTo)}.`,
        'invalid_exact_stellar_payload_wrong_recipient',
      );
  }
  if (token === undefined) return ok(check, `is ${payTo}`);
  // A token of its own keeps its balances as it likes.
  if (token.issued === undefined) return ok(check, `is ${payTo}, which needs nothing that Stellar knows of`);
  const holding = { check, holder: baseAddress(payTo), token, amount: baseUnits(amount) ?? 0n };
  return holding.holder.startsWith('G')
    ? checkAccount(rpc, { ...holding, asset: token.issued })
    : checkContract(rpc, holding);
}

interface Holding {
  readonly check: string;
  /** G… or C…. */
  readonly holder: string;
  readonly token: Token;
  /** What one payment brings, in base units. */
  readonly amount: bigint;
}

async function checkAccount(rpc: Rpc, holding: Holding & { asset: Asset }): Promise<Finding> {
  const { check, holder, asset, token } = holding;
  const keys = { account: accountKey(holder), trustline: trustlineKey(holder, asset) };
  const found = await readEntries(rpc, Object.values(keys));
  if (!found.has(keys.account))
    return unpaid(check, `has no account on the ledger: ${holder}`, 'Create it by sending it lumens.');
  if (asset.isNative()) return ok(check, 'has an account');
  if (asset.getIssuer() === holder) return ok(check, `issues ${token.unit} itself`);
  const line = found.get(keys.trustline);
  if (line?.type !== 'trustline')
    return unpaid(
      check,
      `has no trustline for ${token.unit}: ${holder}`,
      `With that account, add a trustline for ${asset.toString()}.`,
      'invalid_exact_stellar_payload_simulation_failed',
    );
  return checkTrustline(holding, line.trustLine);
}

/** The flag of a trustline that may receive. Others may only keep what they have. */
const AUTHORIZED = 1;

function checkTrustline({ check, token, amount }: Holding, line: xdr.TrustLineEntry): Finding {
  const { unit, decimals } = token;
  if ((line.flags & AUTHORIZED) === 0)
    return unpaid(
      check,
      `has a trustline for ${unit} that the issuer has not authorized`,
      'Ask the issuer to authorize it, or take another asset.',
    );
  const buying = line.ext.type === 'v1' ? line.ext.v1.liabilities.buying : 0n;
  const room = line.limit - line.balance - buying;
  if (room < amount)
    return unpaid(
      check,
      `has room for ${tokenUnits(room < 0n ? 0n : room, decimals)} ${unit} more, which is less than one payment`,
      `Raise the limit of the trustline, now ${tokenUnits(line.limit, decimals)} ${unit}, or move what it holds.`,
    );
  return ok(check, `has a trustline for ${unit}, with room for ${tokenUnits(room, decimals)} more`);
}

async function checkContract(rpc: Rpc, { check, holder, token }: Holding): Promise<Finding> {
  const key = contractBalanceKey(token.contract, holder);
  const entry = (await readEntries(rpc, [key])).get(key);
  if (entry?.type !== 'contractData')
    return unpaid(
      check,
      `is a contract that has never held ${token.unit}: the first payment costs more than facilitators pay by default`,
      'Send it one base unit from a wallet.',
      'invalid_exact_stellar_payload_fee_exceeds_maximum',
    );
  const { authorized } = scValToNative(entry.contractData.val) as { authorized?: unknown };
  return authorized === true
    ? ok(check, `is a contract that can hold ${token.unit}`)
    : unpaid(
        check,
        `is a contract whose ${token.unit} the issuer has frozen`,
        'Ask the issuer, or name another.',
      );
}

function trustlineKey(holder: string, asset: Asset): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(holder));
  return xdr.LedgerKey.trustline(
    new xdr.LedgerKeyTrustLine({ accountId, asset: asset.toTrustLineXdrObject() }),
  ).toXdr('base64');
}
