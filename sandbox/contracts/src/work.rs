//! Work that costs instructions and does nothing else.
use soroban_sdk::{Bytes, Env};

/// One round is one hash, which the optimizer cannot leave out: some 7,000 instructions.
pub fn burn(env: &Env, rounds: u32) {
    let mut bytes = Bytes::from_array(env, &[0; 32]);
    for _ in 0..rounds {
        bytes = env.crypto().sha256(&bytes).into();
    }
}
