/** Authorization entries as the host takes them over: all of them, also those that no call uses. CAP-46-11, CAP-71. */
import type { xdr } from '@stellar/stellar-sdk';
import { checkSymbol, checkValue, unreported } from './conversion.ts';
import { errorOf, HostError } from './errors.ts';
import { isHolder } from './values.ts';

/** Credentials that name an address, whatever their version. */
export function addressCredentials(
  credentials: xdr.SorobanCredentials,
): xdr.SorobanAddressCredentials | undefined {
  switch (credentials.type) {
    case 'sorobanCredentialsSourceAccount':
      return undefined;
    case 'sorobanCredentialsAddress':
      return credentials.address;
    case 'sorobanCredentialsAddressV2':
      return credentials.addressV2;
    case 'sorobanCredentialsAddressWithDelegates':
      return credentials.addressWithDelegates.addressCredentials;
  }
}

/** Ends the invocation unless the host can hold an entry. */
export function checkEntry({ credentials, rootInvocation }: xdr.SorobanAuthorizationEntry): void {
  const signed = addressCredentials(credentials);
  if (signed) checkSigner(signed);
  if (credentials.type === 'sorobanCredentialsAddressWithDelegates') {
    checkDelegates(credentials.addressWithDelegates.delegates);
  }
  checkInvocation(rootInvocation);
}

function checkSigner({ address, signature }: { address: xdr.ScAddress; signature: xdr.ScVal }): void {
  checkAddress(address);
  checkValue(signature, unreported);
}

/** Delegates come in ascending order of their addresses, each one once. */
function checkDelegates(delegates: readonly xdr.SorobanDelegateSignature[]): void {
  const addresses = delegates.map(({ address }) => address.toXdr());
  for (const [index, address] of addresses.entries()) {
    const previous = addresses[index - 1];
    if (previous && Buffer.compare(previous, address) >= 0) {
      throw new HostError(errorOf('Auth', 'InvalidInput'));
    }
  }
  for (const delegate of delegates) {
    checkSigner(delegate);
    checkDelegates(delegate.nestedDelegates);
  }
}

/** The calls of an invocation tree, those within a call before it. */
function checkInvocation({ function: authorized, subInvocations }: xdr.SorobanAuthorizedInvocation): void {
  for (const invocation of subInvocations) checkInvocation(invocation);
  if (authorized.type !== 'sorobanAuthorizedFunctionTypeContractFn') return;
  const { contractAddress, functionName, args } = authorized.contractFn;
  checkAddress(contractAddress);
  checkSymbol(functionName, unreported);
  for (const arg of args) checkValue(arg, unreported);
}

function checkAddress(address: xdr.ScAddress): void {
  if (!isHolder(address)) throw new HostError(errorOf('Object', 'InvalidInput'));
}
