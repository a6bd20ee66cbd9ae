import { isMuxedContract, lacksMuxedContracts, MUXED_CONTRACT_PROTOCOL } from '../../../stellar/addresses.ts';
import type { Payment } from '../../payment.ts';
import { refuse, type Refusal } from '../../refusal.ts';
import { RpcFault } from '../../../stellar/rpc/fault.ts';
import type { Purpose } from '../../../stellar/rpc/transport.ts';
import type { Rpc } from '../../../stellar/rpc/pool.ts';

/**
 * Refuses a payment that failed because the network does not support its kind of recipient yet. Asks the network each
 * time, since it can vote for a new protocol while this service runs. If it does not answer, the simulation's own
 * refusal stands.
 */
export async function checkRecipient(
  { rpc, purpose }: { rpc: Rpc; purpose: Purpose },
  { payTo }: Payment,
): Promise<Refusal | undefined> {
  if (!isMuxedContract(payTo)) return undefined;
  const protocolVersion = await protocolOf(rpc, purpose);
  if (!lacksMuxedContracts(protocolVersion)) return undefined;
  return refuse(
    'invalid_exact_stellar_payload_wrong_recipient',
    `payTo is a muxed contract address (W…), which Stellar has supported since protocol ${MUXED_CONTRACT_PROTOCOL}; this network still runs protocol ${protocolVersion}. Pay the contract itself (C…), or wait for the network's upgrade.`,
  );
}

async function protocolOf(rpc: Rpc, purpose: Purpose): Promise<unknown> {
  try {
    return (await rpc.call('getNetwork', undefined, purpose)).protocolVersion;
  } catch (fault) {
    if (fault instanceof RpcFault) return undefined;
    throw fault;
  }
}
