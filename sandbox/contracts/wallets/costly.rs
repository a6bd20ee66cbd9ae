//! One key, and a check that works for a number of rounds: as many as the network's ceiling leaves room for, or more.
#![no_std]
use sandbox_contracts::work;
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contractimpl, symbol_short, BytesN, Env, Error, Symbol, Vec};

const KEY: Symbol = symbol_short!("key");
const ROUNDS: Symbol = symbol_short!("rounds");

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    pub fn __constructor(env: Env, key: BytesN<32>, rounds: u32) {
        env.storage().instance().set(&KEY, &key);
        env.storage().instance().set(&ROUNDS, &rounds);
    }
}

#[contractimpl]
impl CustomAccountInterface for Wallet {
    type Signature = BytesN<64>;
    type Error = Error;

    fn __check_auth(env: Env, payload: Hash<32>, signature: BytesN<64>, _calls: Vec<Context>) -> Result<(), Error> {
        let key: BytesN<32> = env.storage().instance().get(&KEY).unwrap();
        env.crypto().ed25519_verify(&key, &payload.into(), &signature);
        work::burn(&env, env.storage().instance().get(&ROUNDS).unwrap());
        Ok(())
    }
}
