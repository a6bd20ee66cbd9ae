/** What recipients sign, written as the contract describes it. */
import { createHash } from 'node:crypto';
import type { Keypair } from '@stellar/stellar-sdk';
import { NETWORK } from './playedNetwork.ts';

export const SERVICE = 'https://facilitator.example.com';

type Fields = Readonly<Record<string, string | readonly string[]>>;

export interface Place {
  readonly service?: string;
  readonly network?: string;
  readonly action: string;
}

/** The names of a message's fields, in the order of its lines. */
const NAMES = [
  ...['recipient', 'resource', 'type', 'toolName', 'serviceName', 'description', 'tags', 'iconUrl'],
  ...['cursor', 'signedAt'],
];

/** Returns the body of a request: the fields, and the signature of the message about them. */
export function signed(
  key: Keypair,
  { service = SERVICE, network = NETWORK, action }: Place,
  fields: Fields,
): Fields {
  const all: Fields = { recipient: key.publicKey(), signedAt: new Date().toISOString(), ...fields };
  const lines = NAMES.flatMap((name) => [all[name] ?? []].flat().map((value) => `${name}: ${value}`));
  const place = [`service: ${service}`, `network: ${network}`, `action: ${action}`];
  const message = ['Message to a payment facilitator', ...place, ...lines].join('\n');
  const hash = createHash('sha256').update(`Stellar Signed Message:\n${message}`).digest();
  return { ...all, signature: Buffer.from(key.sign(hash)).toString('base64') };
}
