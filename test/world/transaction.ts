import { Address, scValToNative, type xdr } from '@stellar/stellar-sdk';
import { decodeTransaction } from '../../sandbox/ledger/transaction.ts';
import { PUBLIC_NETWORKS } from '../../sandbox/networks.ts';
import { NETWORK_NAME } from '../support/playedNetwork.ts';

const NETWORK_ID = PUBLIC_NETWORKS[NETWORK_NAME].id;

/** A transfer as a call of the token's contract. */
export interface Transfer {
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** A settlement's transaction, as anybody can read it. */
export interface Transaction {
  readonly hash: string;
  readonly submitter: string;
  readonly sequence: bigint;
  /** The account that pays, and what it bids in all. */
  readonly feeSource: string;
  readonly feeStroops: bigint;
  /** The bid of the transaction inside a fee bump. */
  readonly innerFeeStroops: bigint;
  /** The last moment and the last ledger that can take it. */
  readonly maxTimeSeconds: number;
  readonly lastLedger: number;
  /** `address:nonce` of the authorization that it spends. */
  readonly authorization: string;
  /** The authorization entry itself, base64 XDR. */
  readonly entry: string;
  readonly transfer: Transfer;
}

/** Reads an envelope. Throws if it is not a settlement. */
export function readTransaction(envelopeXdr: string): Transaction {
  const { hash, inner, source, feeSource, fee, invocation } = decodeTransaction(envelopeXdr, NETWORK_ID);
  const call = invocation?.hostFunction;
  if (call?.type !== 'hostFunctionTypeInvokeContract') throw new Error('the transaction is not a payment');
  const [entry, ...others] = invocation!.auth;
  if (entry?.credentials.type.startsWith('sorobanCredentialsAddress') !== true || others.length > 0)
    throw new Error('the transaction lacks the one authorization of its payer');
  const { cond } = inner;
  if (cond.type !== 'precondV2') throw new Error('the transaction has no bounds');
  const { contractAddress, args } = call.invokeContract;
  const [from, to, amount] = args.map((value) => scValToNative(value) as unknown) as [string, string, bigint];
  const { address, nonce } = credentialsOf(entry);
  return {
    hash,
    submitter: accountText(source),
    sequence: inner.seqNum,
    feeSource: accountText(feeSource),
    feeStroops: fee,
    innerFeeStroops: BigInt(inner.fee),
    maxTimeSeconds: Number(cond.v2.timeBounds?.maxTime ?? Infinity),
    lastLedger: (cond.v2.ledgerBounds?.maxLedger ?? Infinity) - 1,
    authorization: `${addressText(address)}:${nonce}`,
    entry: entry.toXdr('base64'),
    transfer: { asset: addressText(contractAddress), from, to, amount },
  };
}

function credentialsOf({ credentials }: xdr.SorobanAuthorizationEntry): xdr.SorobanAddressCredentials {
  switch (credentials.type) {
    case 'sorobanCredentialsAddress':
      return credentials.address;
    case 'sorobanCredentialsAddressV2':
      return credentials.addressV2;
    default:
      throw new Error(`an authorization by ${credentials.type}`);
  }
}

const addressText = (address: xdr.ScAddress): string => Address.fromScAddress(address).toString();
const accountText = (account: xdr.AccountId): string => Address.account(account.ed25519.value).toString();
