/** What a simulation records that a call needs, as an RPC might tell it otherwise. */
import { xdr } from '@stellar/stellar-sdk';

/** The recorded entries of a simulation, changed. */
export const recording =
  (change: (entry: xdr.SorobanAuthorizationEntry) => xdr.SorobanAuthorizationEntry[]) =>
  (_method: string, result: Record<string, unknown>): unknown => {
    const [first] = (result['results'] ?? []) as { auth: string[] }[];
    if (first === undefined) return result;
    const auth = first.auth.flatMap((entry) =>
      change(xdr.SorobanAuthorizationEntry.fromXdr(entry, 'base64')),
    );
    return { ...result, results: [{ ...first, auth: auth.map((entry) => entry.toXdr('base64')) }] };
  };

export function credentialsIn({ credentials }: xdr.SorobanAuthorizationEntry): xdr.SorobanAddressCredentials {
  if (credentials.type !== 'sorobanCredentialsAddress') throw new Error(credentials.type);
  return credentials.address;
}

export const withCredentials = (entry: xdr.SorobanAuthorizationEntry, credentials: xdr.SorobanCredentials) =>
  new xdr.SorobanAuthorizationEntry({ ...entry, credentials });

export function asUpgraded(method: string, result: Record<string, unknown>): unknown {
  return recording((entry) => {
    if (entry.credentials.type !== 'sorobanCredentialsAddress') return [entry];
    return [withCredentials(entry, xdr.SorobanCredentials.sorobanCredentialsAddressV2(credentialsIn(entry)))];
  })(method, result);
}
