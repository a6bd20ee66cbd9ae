import { randomBytes } from 'node:crypto';
import { xdr } from '@stellar/stellar-sdk';
import {
  baseAddress,
  isMuxedContract,
  lacksMuxedContracts,
  MUXED_CONTRACT_PROTOCOL,
} from '../../stellar/addresses.ts';
import { FOLLOW_LIMITS, WALLET_LIMITS } from './limits.ts';
import { PASSPHRASES } from '../../stellar/networks.ts';
import type { Network } from '../../stellar/networks.ts';
import { ledgersIn } from './pace.ts';
import type { Pace } from './pace.ts';
import type { CallLimit, Reservation, SpendPolicy } from './policy.ts';
import { RpcUnavailable } from './rpc.ts';
import type { Rpc } from './rpc.ts';
import type { AuthorizationSigner } from './signer.ts';
import { simulate } from './simulation.ts';
import type { Simulation } from './simulation.ts';
import type { Terms } from './terms.ts';
import {
  authorizationEntry,
  authorizationHash,
  credentialsOf,
  rootInvocation,
  transferCall,
  transferTransaction,
} from './transfer.ts';
import type { AuthorizationTerms, CredentialsType } from './transfer.ts';

/** A payment that was signed. It can be taken once, by anybody who has it, until its last ledger has closed. */
export interface SignedPayment {
  readonly terms: Terms;
  /** Who pays. */
  readonly payer: string;
  /** By it the ledger knows whether it was taken. */
  readonly nonce: bigint;
  readonly validUntilLedger: number;
  /** Its last ledger cannot have closed before: milliseconds, by the clock of this machine alone. */
  readonly holdsUntilMs: number;
  readonly authorization: xdr.SorobanAuthorizationEntry;
  /** What it holds of the session's budget. */
  readonly reservation: Reservation;
}

/** Why nothing was signed. */
export interface NotSigned {
  readonly refused: 'objection' | 'policy' | 'network' | 'unavailable';
  readonly reason: string;
}

export interface WalletDeps {
  network: Network;
  signer: AuthorizationSigner;
  rpc: Rpc;
  pace: Pace;
  policy: SpendPolicy;
  /** Milliseconds that only ever rise. */
  now: () => number;
}

export interface Wallet {
  readonly address: string;
  /**
   * Signs one authorization of exactly `transfer(address, payTo, amount)`. It stays in this process. `objection` is
   * asked right before signing: nothing is signed if it gives a reason. `callLimit` is part of the policy.
   */
  sign(
    terms: Terms,
    objection?: () => string | undefined,
    callLimit?: CallLimit,
  ): Promise<SignedPayment | NotSigned>;
  /**
   * The transaction that carries it, once the network finds it good: unsigned, base64 XDR, the scheme's payload. Shows
   * the signature to the RPC: whatever comes of it, the payment can be taken from here on.
   */
  assemble(payment: SignedPayment): Promise<{ readonly transaction: string } | { readonly problem: string }>;
}

/**
 * The buyer's side of the exact scheme (specification 1). The call is simulated before it is signed, so that what
 * cannot be paid is never signed; and once more with its signature, as the facilitator will: only that tells what the
 * check of the signature needs, which facilitators take from the payload.
 */
export function createWallet(deps: WalletDeps): Wallet {
  return {
    address: deps.signer.address,
    sign: (terms, objection, callLimit) =>
      whileRpcAnswers(
        () => sign(deps, terms, objection, callLimit),
        (reason) => ({ refused: 'unavailable', reason }),
      ),
    assemble: (payment) =>
      whileRpcAnswers(
        () => assemble(deps, payment),
        (problem) => ({ problem }),
      ),
  };
}

async function whileRpcAnswers<T>(work: () => Promise<T>, otherwise: (reason: string) => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error;
    return otherwise(`the Stellar RPC that RPC_URL names does not answer (${error.message})`);
  }
}

async function sign(
  deps: WalletDeps,
  terms: Terms,
  objection: () => string | undefined = () => undefined,
  callLimit?: CallLimit,
): Promise<SignedPayment | NotSigned> {
  const { rpc, pace, signer, policy, now } = deps;
  if (baseAddress(terms.payTo) === signer.address)
    return { refused: 'policy', reason: 'the recipient would be this wallet itself' };
  const problem = await recipientProblem(rpc, terms);
  if (problem !== undefined) return refusedByNetwork(problem);
  const call = transferCall(signer.address, terms);
  const [recorded, ledgerMs] = await Promise.all([
    simulate(rpc, transferTransaction(call, []), 'record'),
    pace.ledgerMs(),
  ]);
  if (typeof recorded === 'string') return refusedByNetwork(recorded);
  const credentials = credentialsFor(recorded, signer.address, call);
  if (credentials === undefined)
    return refusedByNetwork('the token asks to authorize something else than this one transfer');

  const ledgers = ledgersIn(terms.maxTimeoutSeconds, ledgerMs);
  const holdsUntilMs = now() + ledgers * FOLLOW_LIMITS.minLedgerMs;
  const authorization: AuthorizationTerms = {
    call,
    from: signer.address,
    credentials,
    nonce: randomBytes(8).readBigUInt64BE() >> 1n,
    validUntilLedger: recorded.latestLedger + ledgers,
  };
  const reason = objection();
  if (reason !== undefined) return { refused: 'objection', reason };
  // Right before signing, and in one step with the decision: payments at the same time share one budget.
  const reservation = policy.reserve(terms, callLimit);
  if (reservation === undefined)
    return {
      refused: 'policy',
      reason: policy.objection(terms, callLimit) ?? 'the budget was spent by another payment meanwhile',
    };
  try {
    const { nonce, validUntilLedger } = authorization;
    const signed = {
      authorization: await signEntry(deps, authorization),
      nonce,
      validUntilLedger,
      holdsUntilMs,
    };
    return { terms, payer: signer.address, ...signed, reservation };
  } catch (error) {
    // There is no signature.
    reservation.giveBack();
    throw error;
  }
}

/** Why the network does not know such a recipient. It is asked each time: networks vote for new protocols. */
async function recipientProblem(rpc: Rpc, { payTo }: Terms): Promise<string | undefined> {
  if (!isMuxedContract(payTo)) return undefined;
  const { protocolVersion } = await rpc.call('getNetwork');
  if (!lacksMuxedContracts(protocolVersion)) return undefined;
  return `the recipient is a muxed contract address (W…), which Stellar has supported since protocol ${MUXED_CONTRACT_PROTOCOL}, and the network still runs protocol ${protocolVersion}`;
}

async function signEntry(
  { signer, network }: WalletDeps,
  terms: AuthorizationTerms,
): Promise<xdr.SorobanAuthorizationEntry> {
  const hash = authorizationHash(terms, PASSPHRASES[network]);
  return authorizationEntry(terms, await signer.signAuthorization(hash, authorizationEntry(terms)));
}

async function assemble(
  { rpc }: WalletDeps,
  { terms, payer, authorization }: SignedPayment,
): Promise<{ transaction: string } | { problem: string }> {
  const call = transferCall(payer, terms);
  const checked = await simulate(rpc, transferTransaction(call, [authorization]), 'enforce');
  if (typeof checked === 'string') return { problem: checked };
  const nowSeconds = Math.floor(Date.now() / 1000);
  const transaction = transferTransaction(call, [authorization], { needed: checked.resources, nowSeconds });
  if (transaction.length > WALLET_LIMITS.maxTransactionChars)
    return { problem: `the token needs a transaction of ${transaction.length} characters` };
  return { transaction };
}

/**
 * The kind of credentials that the call needs, if one authorization of the payer for exactly this call is all that it
 * needs. What is signed is built here from the terms; a token that wants more gets nothing.
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
  const isOurs = credentialsOf(entry)?.address === payer;
  const isExact = sameXdr(entry.rootInvocation, rootInvocation(call));
  return isOurs && isExact ? type : undefined;
}

function sameXdr(one: xdr.SorobanAuthorizedInvocation, other: xdr.SorobanAuthorizedInvocation): boolean {
  return Buffer.compare(one.toXdr(), other.toXdr()) === 0;
}

function refusedByNetwork(reason: string): NotSigned {
  return { refused: 'network', reason };
}
