import { randomBytes } from 'node:crypto';
import type { xdr } from '@stellar/stellar-sdk';
import {
  isMuxedContract,
  lacksMuxedContracts,
  MUXED_CONTRACT_PROTOCOL,
  scAddressText,
} from '../../stellar/addresses.ts';
import { addressCredentials } from '../../stellar/values.ts';
import { ledgersIn, type Pace, type PaceDeps } from './pace.ts';
import { isRefusal, refuse, type Refusal } from './refusal.ts';
import type { Rpc } from './rpc.ts';
import { simulate, type Simulation } from './simulation.ts';
import type { Terms } from './terms.ts';
import {
  rootInvocation,
  transferCall,
  transferTransaction,
  type AuthorizationTerms,
  type CredentialsType,
} from './transfer.ts';

export interface PrepareDeps extends PaceDeps {
  pace: Pace;
}

/** An authorization that only needs a signature. */
export interface Prepared {
  readonly authorization: AuthorizationTerms;
  /** The earliest time at which its last ledger can have closed. */
  readonly holdsUntilMs: number;
}

/**
 * Builds the authorization of a payment. Simulates the call first, so that what cannot be paid is never signed. Throws
 * an RpcUnavailable.
 */
export async function prepare(
  { rpc, pace, limits, now }: PrepareDeps,
  from: string,
  terms: Terms,
): Promise<Prepared | Refusal> {
  const unknownRecipient = await refuseRecipient(rpc, terms);
  if (unknownRecipient !== undefined) return unknownRecipient;
  const call = transferCall(from, terms);
  const [recorded, ledgerMs] = await Promise.all([
    simulate(rpc, transferTransaction(call, []), 'record'),
    pace.ledgerMs(),
  ]);
  if (isRefusal(recorded)) return recorded;
  const credentials = credentialsFor(recorded, from, call);
  if (credentials === undefined)
    return refuse('network', 'the token asks to authorize something other than this one transfer');
  const ledgers = ledgersIn(limits, terms.maxTimeoutSeconds, ledgerMs);
  const nonce = randomBytes(8).readBigUInt64BE() >> 1n;
  const validUntilLedger = recorded.latestLedger + ledgers;
  return {
    authorization: { call, from, credentials, nonce, validUntilLedger },
    holdsUntilMs: now() + ledgers * limits.minLedgerMs,
  };
}

/** Refuses a recipient that the network does not know. Asks each time, since networks vote for new protocols. */
async function refuseRecipient(rpc: Rpc, { payTo }: Terms): Promise<Refusal | undefined> {
  if (!isMuxedContract(payTo)) return undefined;
  const { protocolVersion } = await rpc.call('getNetwork');
  if (!lacksMuxedContracts(protocolVersion)) return undefined;
  return refuse(
    'network',
    `the recipient is a muxed contract address (W…), which Stellar has supported since protocol ${MUXED_CONTRACT_PROTOCOL}, and the network still runs protocol ${protocolVersion}`,
  );
}

/**
 * Returns the kind of credentials that the call needs, if it needs nothing but one authorization of the payer for
 * exactly this call. If a token asks for further approvals, nothing is signed.
 */
function credentialsFor(
  { auth }: Simulation,
  payer: string,
  call: xdr.InvokeContractArgs,
): CredentialsType | undefined {
  const [entry] = auth;
  if (entry === undefined || auth.length !== 1) return undefined;
  const { type } = entry.credentials;
  if (type !== 'sorobanCredentialsAddress' && type !== 'sorobanCredentialsAddressV2') return undefined;
  const address = addressCredentials(entry)?.address;
  const isOurs = address !== undefined && scAddressText(address) === payer;
  const isExact = entry.rootInvocation.equals(rootInvocation(call));
  return isOurs && isExact ? type : undefined;
}
