/** Describes the public networks that the sandbox can stand in for, and what tells them apart for clients. */
import { Networks } from '@stellar/stellar-sdk';
import { KNOWN_ASSETS } from '../src/stellar/assets.ts';
import type { Network } from '../src/stellar/networks.ts';
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
    issuers: issuersOf('stellar:testnet'),
    minTemporaryLedgers: 720,
    minPersistentLedgers: 120_960,
  },
  pubnet: {
    name: 'pubnet',
    passphrase: Networks.PUBLIC,
    id: sha256(Buffer.from(Networks.PUBLIC)),
    issuers: issuersOf('stellar:pubnet'),
    minTemporaryLedgers: 17_280,
    minPersistentLedgers: 2_073_600,
  },
};

function issuersOf(network: Network): PublicNetwork['issuers'] {
  const issuer = (code: string): string =>
    KNOWN_ASSETS[network].find((asset) => asset.code === code)!.issuer!;
  return { USDC: issuer('USDC'), EURC: issuer('EURC') };
}
