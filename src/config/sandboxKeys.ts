/** Refuses the keys of the sandbox's accounts on networks that others use, too. */
import { isLoopback } from '../net/loopback.ts';
import { publicKeyOf, secretKeyProblem } from './secretKeys.ts';

/** The accounts by their labels in the sandbox. */
export const SANDBOX_ACCOUNTS: ReadonlyMap<string, string> = new Map([
  ['GD7KJE5HXDXI2O73GYB4N3GOPSKJHFXVFSDR3YPSJTVRNGFT2AQIXSFD', 'submitter 1'],
  ['GDQI4EMDLLMXD7V2XGXFDVMOCPBCJTXQPW3JY5F6NMTJVCV3CRYUXMWK', 'submitter 2'],
  ['GAA26VP5PRPXEO45OGHHMAYQS4J4TYD3ECGYFLSVDGTIMGMCXOX47L4K', 'submitter 3'],
  ['GB2VWQPURLBQWJI6XVGW5S5WFFLD5DVT2KHB5YRFSKO5TNJHVXCFX274', 'fee account'],
  ['GCWN2RXKRCQF6FIXM3DJ6PWLUQCR3IANYPA7UME5MAAX7DPAAV7N3H6Y', 'funder'],
  ['GB5NXQR6ZYL5JQ4GFNR4EV3YAIVMNFT4RI23473Q6IBH7MCHTGIFQIUO', 'seller 1'],
  ['GCQZSMUQU7M3CG5WWO7ENMLFU57HC4JOS37GRGGDEZ32TDBSRXGHHSAM', 'seller 2'],
  ['GB2AHXIUAMTI2XD7AI35OLDD4LVGXZUW64SF3I2FBKJWFHK2WAF7YKDO', 'buyer 1'],
  ['GDIM5TCYC6ZOZD53LESGT6FKFF5RK7VPDW4R6K2LAIUV6JXVH2XB6JRD', 'buyer 2'],
  ['GA2OOQ3BXK4MJ72HYDP7MTUECXMURBPS2YUCPL5NRNUKEUUIHZNJ6RXU', 'agent'],
]);

/**
 * Returns why a secret key cannot be used with these RPCs, without repeating it; undefined if it can. The sandbox has
 * the passphrase of a public network, so what tells it apart is where its RPC is.
 */
export function sandboxKeyProblem(secret: string, rpcUrls: readonly string[]): string | undefined {
  if (secretKeyProblem(secret) !== undefined || rpcUrls.every(isNearby)) return undefined;
  const label = SANDBOX_ACCOUNTS.get(publicKeyOf(secret));
  return (
    label &&
    `is the key of the sandbox's account “${label}”: this is a sandbox key that everybody knows. Use a key of your own, ` +
      'or name the sandbox in RPC_URL'
  );
}

/** True on this machine, and for names without a dot, such as those of containers: no public RPC has one. */
function isNearby(rpcUrl: string): boolean {
  const { hostname = '.' } = URL.parse(rpcUrl) ?? {};
  return isLoopback(hostname) || /^[a-z0-9_-]+$/.test(hostname);
}
