import { randomBytes } from 'node:crypto';
import { xdr } from '@stellar/stellar-sdk';
import {
  baseAddress,
  isMuxedContract,
  lacksMuxedContracts,
  MUXED_CONTRACT_PROTOCOL,
  scAddressText,
} from '../../stellar/addresses.ts';
import { FOLLOW_LIMITS, WALLET_LIMITS } from './limits.ts';
import { PASSPHRASES } from '../../stellar/networks.ts';
import type { Network } from '../../stellar/networks.ts';
import { addressCredentials } from '../../stellar/values.ts';
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
  rootInvocation,
  transferCall,
  transferTransaction,
} from './transfer.ts';
import type { AuthorizationTerms, CredentialsType } from './transfer.ts';

/** A signed payment. Anybody who has it can take it, once, until its last ledger has closed. */
export interface SignedPayment {
  readonly terms: Terms;
  /** The address that pays. */
  readonly payer: string;
  /** The ledger stores it when the payment is taken. */
  readonly nonce: bigint;
  readonly validUntilLedger: number;
  /** The earliest time at which its last ledger can have closed: milliseconds, by this machine's clock alone. */
  readonly holdsUntilMs: number;
  readonly authorization: xdr.SorobanAuthorizationEntry;
  /** The part of the session's budget that it holds. */
  readonly reservation: Reservation;
}

/** Says why nothing was signed. */
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
  /** Returns milliseconds that never decrease. */
  now: () => number;
}

export interface Wallet {
  readonly address: string;
  /**
   * Signs one authorization of exactly `transfer(address, payTo, amount)`, which stays in this process. Asks
   * `objection` right before signing, and signs nothing if that gives a reason. `callLimit` is part of the policy.
   */
  sign(
    terms: Terms,
    objection?: () => string | undefined,
    callLimit?: CallLimit,
  ): Promise<SignedPayment | NotSigned>;
  /**
   * Returns the transaction that carries the payment, if the network accepts it: unsigned, base64 XDR, the scheme's
   * payload. Shows the signature to the RPC: whatever the result, the payment can be taken from here on.
   */
  assemble(payment: SignedPayment): Promise<{ readonly transaction: string } | { readonly problem: string }>;
}

/**
 * Creates the buyer's side of the exact scheme. It simulates the call before it signs, so that it never signs what
 * cannot be paid. It simulates once more with the signature, as the facilitator will: only that shows which resources
 * the check of the signature needs, and facilitators take these from the payload.
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
  // Reserved right before signing, in one step with the decision: concurrent payments share one budget.
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
    // Nothing was signed.
    reservation.giveBack();
    throw error;
  }
}

/** Returns why the network does not know such a recipient. Asks each time, since networks vote for new protocols. */
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
 * Returns the kind of credentials that the call needs, if it needs nothing but one authorization of the payer for
 * exactly this call. What is signed is built here from the terms, so a token that wants more gets nothing.
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
  const isExact = sameXdr(entry.rootInvocation, rootInvocation(call));
  return isOurs && isExact ? type : undefined;
}

function sameXdr(one: xdr.SorobanAuthorizedInvocation, other: xdr.SorobanAuthorizedInvocation): boolean {
  return Buffer.compare(one.toXdr(), other.toXdr()) === 0;
}

function refusedByNetwork(reason: string): NotSigned {
  return { refused: 'network', reason };
}
