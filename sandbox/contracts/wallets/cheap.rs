//! A check as cheap as can be: no signature is looked at, only rounds of work are done, none or a few. What its payment
//! needs beyond the simulation shows how much leeway a contract account needs for being one.
#![no_std]
use sandbox_contracts::work;
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contractimpl, symbol_short, Env, Error, Symbol, Val, Vec};

const ROUNDS: Symbol = symbol_short!("rounds");

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    pub fn __constructor(env: Env, rounds: u32) {
        env.storage().instance().set(&ROUNDS, &rounds);
    }
}

#[contractimpl]
impl CustomAccountInterface for Wallet {
    type Signature = Val;
    type Error = Error;

    fn __check_auth(env: Env, _payload: Hash<32>, _signature: Val, _calls: Vec<Context>) -> Result<(), Error> {
        work::burn(&env, env.storage().instance().get(&ROUNDS).unwrap());
        Ok(())
    }
}
