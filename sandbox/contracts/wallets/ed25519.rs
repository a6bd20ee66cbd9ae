//! The plainest contract account: one ed25519 key, and 64 bytes as its signature.
#![no_std]
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contractimpl, symbol_short, BytesN, Env, Error, Symbol, Vec};

const KEY: Symbol = symbol_short!("key");

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    pub fn __constructor(env: Env, key: BytesN<32>) {
        env.storage().instance().set(&KEY, &key);
    }
}

#[contractimpl]
impl CustomAccountInterface for Wallet {
    type Signature = BytesN<64>;
    type Error = Error;

    fn __check_auth(env: Env, payload: Hash<32>, signature: BytesN<64>, _calls: Vec<Context>) -> Result<(), Error> {
        let key: BytesN<32> = env.storage().instance().get(&KEY).unwrap();
        env.crypto().ed25519_verify(&key, &payload.into(), &signature);
        Ok(())
    }
}
