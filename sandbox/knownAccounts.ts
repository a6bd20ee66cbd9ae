/** The ten accounts that every sandbox network has from its first ledger on. Everybody knows their keys. */
import { Keypair } from '@stellar/stellar-sdk';
import { sha256 } from './protocol.ts';

const USDC = 10_000_000n;
const PURSE = 1_000n * USDC;

export interface KnownAccount {
  label: string;
  key: Keypair;
  /** USDC in base units, for which it has a trustline; undefined if it has none. Each account has 10,000 XLM. */
  usdc: bigint | undefined;
}

export const KNOWN_ACCOUNTS: readonly KnownAccount[] = [
  known('submitter 1', undefined),
  known('submitter 2', undefined),
  known('submitter 3', undefined),
  known('fee account', undefined),
  known('funder', undefined),
  known('seller 1', 0n),
  known('seller 2', 0n),
  known('buyer 1', PURSE),
  known('buyer 2', PURSE),
  known('agent', PURSE),
];

/** Throws if no account has this label. */
export function knownKey(label: string): Keypair {
  const account = KNOWN_ACCOUNTS.find((one) => one.label === label);
  if (account === undefined) throw new Error(`no account is labelled ${label}`);
  return account.key;
}

function known(label: string, usdc: bigint | undefined): KnownAccount {
  // The service refuses these keys by their addresses (src/config/sandboxKeys.ts), so they must never change.
  return { label, key: Keypair.fromRawEd25519Seed(sha256(Buffer.from(`stellar sandbox: ${label}`))), usdc };
}
