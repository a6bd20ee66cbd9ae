import { createHash } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk';
import { createNetwork, type Network } from '../../sandbox/network.ts';
import { NETWORK_NAME } from '../support/playedNetwork.ts';

const PAST_LEDGERS = 40;

/** Opens a network on which ledgers have closed already: clients and the service measure its pace from them. */
export function networkWithPast(now: () => number, ledgerMs: number): Network {
  let agoMs = PAST_LEDGERS * ledgerMs;
  const network = createNetwork({ network: NETWORK_NAME, now: () => now() - agoMs });
  for (; agoMs > 0; agoMs -= ledgerMs) network.closeLedger();
  return network;
}

/** Returns the same key for the same name, in each run. */
export function keyOf(name: string): Keypair {
  return Keypair.fromRawEd25519Seed(createHash('sha256').update(name).digest());
}
