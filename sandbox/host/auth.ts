/**
 * `require_auth`: in enforcing mode a call must be covered by a signed authorization entry; in recording mode
 * the entries that it needs are written down instead. CAP-46-11; credentials bound to an address: CAP-71.
 */
import { randomBytes } from 'node:crypto';
import { xdr } from '@stellar/stellar-sdk';
import { accountKey, codeKey, instanceKey, nonceKey } from '../ledger/keys.ts';
import { contractDataEntry, contractValueOf } from '../ledger/state.ts';
import { MAX_ENTRY_TTL_LEDGERS, NETWORK_ID, sha256 } from '../protocol.ts';
import { checkAccountSignatures } from './accountAuth.ts';
import { checkContractAuth, CONTRACT_ACCOUNT_CODE_HASH, contractAccountKeyOf } from './contractAccount.ts';
import { addressCredentials } from './entries.ts';
import { errorOf, HostError, isRecoverable } from './errors.ts';
import type { Host } from './host.ts';
import { accountAddress, addressValue, sameAddress, sameBytes, u32, VOID } from './values.ts';

export interface Authorizer {
  /** Ends the invocation unless `address` agreed to `call`. */
  requireAuth(address: xdr.ScAddress, call: xdr.InvokeContractArgs): void;
  /** The entries of the invocation: those given, or those recorded. */
  entries(): xdr.SorobanAuthorizationEntry[];
}

/** The hash that an entry's signers sign. */
function signaturePayload(
  entry: xdr.SorobanAuthorizationEntry,
  signed: xdr.SorobanAddressCredentials,
): Buffer {
  const { nonce, signatureExpirationLedger, address } = signed;
  const body = { networkId: NETWORK_ID, nonce, signatureExpirationLedger, invocation: entry.rootInvocation };
  const preimage =
    entry.credentials.type === 'sorobanCredentialsAddress'
      ? xdr.HashIdPreimage.envelopeTypeSorobanAuthorization(new xdr.HashIdPreimageSorobanAuthorization(body))
      : xdr.HashIdPreimage.envelopeTypeSorobanAuthorizationWithAddress(
          new xdr.HashIdPreimageSorobanAuthorizationWithAddress({ ...body, address }),
        );
  return sha256(preimage.toXdr());
}

/** Requires signed entries. An entry covers one call; signatures of entries that no call uses are not verified. */
export function enforcingAuth(
  host: Host,
  entries: readonly xdr.SorobanAuthorizationEntry[],
  source: xdr.AccountId,
): Authorizer {
  const used = new Set<xdr.SorobanAuthorizationEntry>();
  const sourceAddress = accountAddress(source);

  const authenticate = (entry: xdr.SorobanAuthorizationEntry, signed: xdr.SorobanAddressCredentials) => {
    const payload = signaturePayload(entry, signed);
    try {
      if (signed.address.type === 'scAddressTypeAccount') {
        checkAccountSignatures(host, signed.address.accountId, payload, signed.signature);
      } else if (signed.address.type === 'scAddressTypeContract') {
        checkContractAuth(host, signed.address, payload, signed.signature, callsOf(entry.rootInvocation));
      } else throw new HostError(errorOf('Object', 'InternalError'));
    } catch (error) {
      if (!(error instanceof HostError) || !isRecoverable(error.error)) throw error;
      const [who, why] = [addressValue(signed.address), xdr.ScVal.scvError(error.error)];
      host.fail(errorOf('Auth', 'InvalidAction'), 'failed account authentication with error', who, why);
    }
  };

  return {
    requireAuth(address, call) {
      const callBytes = call.toXdr();
      const entry = entries.find((candidate) => {
        const owner = addressCredentials(candidate.credentials)?.address ?? sourceAddress;
        return (
          !used.has(candidate) && sameAddress(owner, address) && isCall(candidate.rootInvocation, callBytes)
        );
      });
      if (!entry) {
        const who = addressValue(address);
        return host.fail(errorOf('Auth', 'InvalidAction'), 'Unauthorized function call for address', who);
      }
      used.add(entry);
      const signed = addressCredentials(entry.credentials);
      if (!signed) return;
      authenticate(entry, signed);
      checkExpiration(host, signed);
      consumeNonce(host, signed.address, signed.nonce, signed.signatureExpirationLedger);
    },
    entries: () => [...entries],
  };
}

function isCall({ function: authorized }: xdr.SorobanAuthorizedInvocation, callBytes: Uint8Array): boolean {
  return (
    authorized.type === 'sorobanAuthorizedFunctionTypeContractFn' &&
    sameBytes(authorized.contractFn.toXdr(), callBytes)
  );
}

/** All contract calls of an invocation tree, parents first. */
function callsOf({
  function: authorized,
  subInvocations,
}: xdr.SorobanAuthorizedInvocation): xdr.InvokeContractArgs[] {
  const own = authorized.type === 'sorobanAuthorizedFunctionTypeContractFn' ? [authorized.contractFn] : [];
  return [...own, ...subInvocations.flatMap(callsOf)];
}

function checkExpiration(
  host: Host,
  { address, signatureExpirationLedger }: xdr.SorobanAddressCredentials,
): void {
  const error = errorOf('Auth', 'InvalidInput');
  const who = addressValue(address);
  if (host.ledger > signatureExpirationLedger) {
    host.fail(error, 'signature has expired', who, u32(host.ledger), u32(signatureExpirationLedger));
  }
  const latest = maxLiveUntil(host);
  if (signatureExpirationLedger > latest) {
    host.fail(error, 'signature expiration is too late', who, u32(latest), u32(signatureExpirationLedger));
  }
}

function maxLiveUntil(host: Host): number {
  return host.ledger + MAX_ENTRY_TTL_LEDGERS - 1;
}

/** A nonce is used once: its entry lives at least as long as the signature could be used again. */
function consumeNonce(host: Host, address: xdr.ScAddress, nonce: bigint, liveUntilLedger: number): void {
  const key = nonceKey(address, nonce);
  const who = addressValue(address);
  let found;
  try {
    found = host.read(key);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    host.fail(error.error, 'trying to access nonce outside of footprint for address', who);
  }
  if (found) host.fail(errorOf('Auth', 'ExistingValue'), 'nonce already exists for address', who);
  host.write(key, contractDataEntry(key, VOID), liveUntilLedger);
}

/** Writes down the entries that the invocation needs: unsigned, with a fresh nonce. */
export function recordingAuth(host: Host, source: xdr.AccountId, useAddressV2: boolean): Authorizer {
  const recorded: xdr.SorobanAuthorizationEntry[] = [];
  const sourceAddress = accountAddress(source);
  return {
    requireAuth(address, call) {
      const rootInvocation = new xdr.SorobanAuthorizedInvocation({
        function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
        subInvocations: [],
      });
      const credentials = sameAddress(address, sourceAddress)
        ? xdr.SorobanCredentials.sorobanCredentialsSourceAccount()
        : recordAddress(host, address, useAddressV2);
      recorded.push(new xdr.SorobanAuthorizationEntry({ credentials, rootInvocation }));
    },
    entries: () => recorded,
  };
}

function recordAddress(host: Host, address: xdr.ScAddress, useAddressV2: boolean): xdr.SorobanCredentials {
  const nonce = randomBytes(8).readBigUInt64BE() >> 1n;
  consumeNonce(host, address, nonce, maxLiveUntil(host));
  touchSigner(host, address);
  const credentials = new xdr.SorobanAddressCredentials({
    address,
    nonce,
    signatureExpirationLedger: 0,
    signature: VOID,
  });
  return useAddressV2
    ? xdr.SorobanCredentials.sorobanCredentialsAddressV2(credentials)
    : xdr.SorobanCredentials.sorobanCredentialsAddress(credentials);
}

/** Reads what a signature check would read, so that the footprint and the price include it. */
function touchSigner(host: Host, address: xdr.ScAddress): void {
  if (address.type === 'scAddressTypeAccount') {
    host.meter.signatureChecks++;
    host.read(accountKey(address.accountId));
  } else {
    const instance = contractValueOf(host.read(instanceKey(address)));
    if (instance && contractAccountKeyOf(instance)) host.read(codeKey(CONTRACT_ACCOUNT_CODE_HASH));
  }
}
