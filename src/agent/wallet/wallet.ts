import type { xdr } from '@stellar/stellar-sdk';
import { baseAddress } from '../../stellar/addresses.ts';
import { PASSPHRASES, type Network } from '../../stellar/networks.ts';
import type { SignedPayment } from './payment.ts';
import type { SpendingCall, SpendPolicy } from './policy.ts';
import { balanceIn, balanceCall } from './balance.ts';
import { prepare, type PrepareDeps } from './prepare.ts';
import { isRefusal, refuse, type Refusal } from './refusal.ts';
import { RpcUnavailable } from './rpc.ts';
import type { AuthorizationSigner } from './signer.ts';
import { simulate } from './simulation.ts';
import type { Terms } from './terms.ts';
import {
  authorizationEntry,
  authorizationHash,
  transferCall,
  transferTransaction,
  type AuthorizationTerms,
} from './transfer.ts';

/** The validity of a payment that is only tried. */
const TRIAL_SECONDS = 60;

export interface WalletDeps extends PrepareDeps {
  network: Network;
  signer: AuthorizationSigner;
  policy: SpendPolicy;
}

export interface Wallet {
  readonly address: string;
  /**
   * Signs one authorization of exactly `transfer(address, payTo, amount)`, which stays in this process. Asks
   * `objection` right before signing, and signs nothing if that gives a reason. The policy judges the terms and `call`.
   */
  sign(
    terms: Terms,
    objection?: () => string | undefined,
    call?: SpendingCall,
  ): Promise<SignedPayment | Refusal>;
  /**
   * Returns the transaction that carries the payment, if the network accepts it: unsigned, base64 XDR, the scheme's
   * payload. Shows the signature to the RPC: whatever the result, the payment can be taken from here on.
   */
  assemble(payment: SignedPayment): Promise<{ readonly transaction: string } | Refusal>;
  /** Returns what the address holds of an asset (C…), in base units. */
  balance(asset: string): Promise<bigint | Refusal>;
  /** Returns why the smallest payment in an asset (C…) could not be made now; undefined if it could. Signs nothing. */
  objection(asset: string): Promise<Refusal | undefined>;
}

/**
 * Creates the buyer's side of the exact scheme. It simulates the call before it signs, so that it never signs what
 * cannot be paid. It simulates once more with the signature, as the facilitator will: only that shows which resources
 * the check of the signature needs, and facilitators take these from the payload.
 */
export function createWallet(deps: WalletDeps): Wallet {
  return {
    address: deps.signer.address,
    sign: (terms, objection, call) => whileRpcAnswers(sign(deps, terms, objection, call)),
    assemble: (payment) => whileRpcAnswers(assemble(deps, payment)),
    balance: (asset) => whileRpcAnswers(readBalance(deps, asset)),
    objection: (asset) => whileRpcAnswers(objectionTo(deps, asset)),
  };
}

async function whileRpcAnswers<Result>(work: Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error;
    return refuse('unavailable', `the Stellar RPC that RPC_URL names does not answer (${error.message})`);
  }
}

async function sign(
  deps: WalletDeps,
  terms: Terms,
  objection: () => string | undefined = () => undefined,
  call?: SpendingCall,
): Promise<SignedPayment | Refusal> {
  const { signer, policy } = deps;
  const payer = signer.address;
  if (baseAddress(terms.payTo) === payer)
    return refuse('policy', 'the recipient would be this wallet itself');
  const prepared = await prepare(deps, payer, terms);
  if (isRefusal(prepared)) return prepared;
  const reason = objection();
  if (reason !== undefined) return refuse('objection', reason);
  // Reserved right before signing, in one step with the decision: concurrent payments share one budget.
  const reservation = policy.reserve(terms, call);
  if (reservation === undefined) {
    const meanwhile = 'the budget was spent by another payment meanwhile';
    return refuse('policy', policy.objection(terms, call) ?? meanwhile);
  }
  const { holdsUntilMs } = prepared;
  const { nonce, validUntilLedger } = prepared.authorization;
  try {
    const authorization = await signEntry(deps, prepared.authorization);
    return { terms, payer, nonce, validUntilLedger, holdsUntilMs, authorization, reservation };
  } catch (error) {
    // Nothing was signed.
    reservation.giveBack();
    throw error;
  }
}

async function signEntry(
  { signer, network }: WalletDeps,
  terms: AuthorizationTerms,
): Promise<xdr.SorobanAuthorizationEntry> {
  const hash = authorizationHash(terms, PASSPHRASES[network]);
  return authorizationEntry(terms, await signer.signAuthorization(hash, authorizationEntry(terms)));
}

async function assemble(
  { rpc, limits }: WalletDeps,
  { terms, payer, authorization }: SignedPayment,
): Promise<{ transaction: string } | Refusal> {
  const call = transferCall(payer, terms);
  const checked = await simulate(rpc, transferTransaction(call, [authorization]), 'enforce');
  if (isRefusal(checked)) return checked;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const transaction = transferTransaction(call, [authorization], { needed: checked.resources, nowSeconds });
  if (transaction.length > limits.maxTransactionChars)
    return refuse('network', `the token needs a transaction of ${transaction.length} characters`);
  return { transaction };
}

async function readBalance({ rpc, signer }: WalletDeps, asset: string): Promise<bigint | Refusal> {
  const answer = await simulate(rpc, transferTransaction(balanceCall(signer.address, asset), []), 'record');
  return isRefusal(answer) ? answer : balanceIn(answer);
}

/** Has the network try a transfer of one base unit from the address to itself. */
async function objectionTo(deps: WalletDeps, asset: string): Promise<Refusal | undefined> {
  const { address } = deps.signer;
  const terms = { asset, amount: 1n, payTo: address, maxTimeoutSeconds: TRIAL_SECONDS, accepted: {} };
  const reason = deps.policy.objection(terms);
  if (reason !== undefined) return refuse('policy', reason);
  const prepared = await prepare(deps, address, terms);
  return isRefusal(prepared) ? prepared : undefined;
}
