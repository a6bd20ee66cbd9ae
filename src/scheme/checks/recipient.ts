import { isMuxedContract, lacksMuxedContracts, MUXED_CONTRACT_PROTOCOL } from '../../stellar/addresses.ts';
import type { Payment } from '../payment.ts';
import { refuse } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import type { Purpose } from '../../stellar/rpc/node.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';

/**
 * Whether a payment failed since its recipient is of a kind that the network does not have yet. It is asked each time:
 * a network votes for a new protocol while this service runs. Throws if the RPC fails.
 */
export async function checkRecipient(
  { rpc, purpose }: { rpc: Rpc; purpose: Purpose },
  { payTo }: Payment,
): Promise<Refusal | undefined> {
  if (!isMuxedContract(payTo)) return undefined;
  const { protocolVersion } = await rpc.call('getNetwork', undefined, purpose);
  if (!lacksMuxedContracts(protocolVersion)) return undefined;
  return refuse(
    'invalid_exact_stellar_payload_wrong_recipient',
    `payTo is a muxed contract address (W…), which Stellar has since protocol ${MUXED_CONTRACT_PROTOCOL}; this network still runs protocol ${protocolVersion}. Pay the contract itself (C…), or wait for the network's upgrade.`,
  );
}
