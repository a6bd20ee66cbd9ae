/** An account of this facilitator that signs: its public address, and a function that uses its key. */
export interface Signer {
  address: string;
  /** Returns the ed25519 signature (64 bytes) of a transaction hash. */
  sign(hash: Uint8Array): Uint8Array | Promise<Uint8Array>;
}
