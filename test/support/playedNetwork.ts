/** The public network that the sandbox stands in for in payment tests: SANDBOX_NETWORK, by default the testnet. */
import { Asset } from '@stellar/stellar-sdk';
import { PUBLIC_NETWORKS, type NetworkName } from '../../sandbox/networks.ts';

export const NETWORK_NAME: NetworkName = process.env['SANDBOX_NETWORK'] === 'pubnet' ? 'pubnet' : 'testnet';

const { passphrase, issuers } = PUBLIC_NETWORKS[NETWORK_NAME];

export const NETWORK = `stellar:${NETWORK_NAME}` as const;
/** One that the service under test does not serve. */
export const OTHER_NETWORK = NETWORK_NAME === 'pubnet' ? 'stellar:testnet' : 'stellar:pubnet';
export const PASSPHRASE = passphrase;
export const USDC_ISSUER = issuers.USDC;
export const USDC = new Asset('USDC', USDC_ISSUER).contractId(PASSPHRASE);
/** In the form that the demo's buyer takes. */
export const MARKET = { network: NETWORK, usdc: USDC };
export const NATIVE = Asset.native().contractId(PASSPHRASE);
