/** Describes the public networks that the sandbox can stand in for, and what tells them apart for clients. */
import { Networks } from '@stellar/stellar-sdk';
import { sha256 } from './protocol.ts';

export type NetworkName = 'testnet' | 'pubnet';

export interface PublicNetwork {
  name: NetworkName;
  passphrase: string;
  id: Buffer;
  /** The issuers of the assets that buyers pay in. */
  issuers: { USDC: string; EURC: string };
  /** The least lifetimes of contract storage, in ledgers. */
  minTemporaryLedgers: number;
  minPersistentLedgers: number;
}

export const PUBLIC_NETWORKS: Readonly<Record<NetworkName, PublicNetwork>> = {
  testnet: {
    name: 'testnet',
    passphrase: Networks.TESTNET,
    id: sha256(Buffer.from(Networks.TESTNET)),
    issuers: {
      USDC: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
      EURC: 'GB3Q6QDZYTHWT7E5PVS3W7FUT5GVAFC5KSZFFLPU25GO7VTC3NM2ZTVO',
    },
    minTemporaryLedgers: 720,
    minPersistentLedgers: 120_960,
  },
  pubnet: {
    name: 'pubnet',
    passphrase: Networks.PUBLIC,
    id: sha256(Buffer.from(Networks.PUBLIC)),
    issuers: {
      USDC: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
      EURC: 'GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2',
    },
    minTemporaryLedgers: 17_280,
    minPersistentLedgers: 2_073_600,
  },
};
