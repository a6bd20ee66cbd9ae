import { xdr } from '@stellar/stellar-sdk';
import { instructionsIn } from '../contractCode.ts';
import { ASSUMED_INSTRUCTION_LIMIT, LOWEST_INSTRUCTION_LIMIT } from '../../limits.ts';
import { refuse, type Refusal } from '../../refusal.ts';
import type { Purpose } from '../../../stellar/rpc/transport.ts';
import type { Rpc } from '../../../stellar/rpc/pool.ts';

/**
 * Refuses a transaction with more instructions than the network allows. The simulation ran within the limit, but the
 * leeway declared on top may exceed it, and such a transaction reaches no ledger. The limit is asked for only if it
 * matters: few payments come near it. Throws if the RPC fails.
 */
export async function checkInstructions(
  deps: { rpc: Rpc; purpose: Purpose },
  transactionData: string,
): Promise<Refusal | undefined> {
  const instructions = instructionsIn(transactionData);
  if (instructions === undefined || instructions <= LOWEST_INSTRUCTION_LIMIT) return undefined;
  const limit = await readLimit(deps);
  if (instructions <= limit) return undefined;
  return refuse(
    'invalid_exact_stellar_payload_simulation_failed',
    `The network would not execute this transfer: it may take ${instructions} instructions on the ledger, and ${limit} are allowed.`,
  );
}

const LIMIT_KEY = xdr.LedgerKey.configSetting(
  new xdr.LedgerKeyConfigSetting({
    configSettingId: xdr.ConfigSettingId.configSettingContractComputeV0,
  }),
).toXdr('base64');

async function readLimit({ rpc, purpose }: { rpc: Rpc; purpose: Purpose }): Promise<number> {
  const { entries } = await rpc.call('getLedgerEntries', { keys: [LIMIT_KEY] }, purpose);
  const [entry] = entries ?? [];
  return (entry && limitIn(entry.xdr)) ?? ASSUMED_INSTRUCTION_LIMIT;
}

/** Returns undefined if it is another entry, or of a kind that this SDK does not know. */
function limitIn(entry: string): number | undefined {
  try {
    const data = xdr.LedgerEntryData.fromXdr(entry, 'base64');
    if (data.type !== 'configSetting') return undefined;
    const setting = data.configSetting;
    if (setting.type !== 'configSettingContractComputeV0') return undefined;
    return Number(setting.contractCompute.txMaxInstructions);
  } catch {
    return undefined;
  }
}
