/** An account of this facilitator that signs: its public address, and its key behind a function. */
export interface Signer {
  address: string;
  /** The ed25519 signature (64 bytes) of a transaction hash. */
  sign(hash: Uint8Array): Uint8Array | Promise<Uint8Array>;
}
