//! Honest until a second after anyone calls `turn`; from then on it announces transfers and moves nothing. Unlike an
//! upgrade this needs no other code and no other ledger entries, so a transaction that was simulated before still applies.
#![no_std]
use sandbox_contracts::books;
use soroban_sdk::{contract, contractimpl, symbol_short, Address, Env, Symbol};

const UNTIL: Symbol = symbol_short!("until");

#[contract]
pub struct Token;

#[contractimpl]
impl Token {
    pub fn __constructor(env: Env) {
        env.storage().instance().set(&UNTIL, &u64::MAX);
    }

    pub fn turn(env: Env) {
        env.storage().instance().set(&UNTIL, &env.ledger().timestamp());
    }

    pub fn mint(env: Env, to: Address, amount: i128) {
        books::credit(&env, &to, amount);
    }

    pub fn balance(env: Env, id: Address) -> i128 {
        books::balance(&env, &id)
    }

    pub fn transfer(env: Env, from: Address, to: Address, amount: i128) {
        from.require_auth();
        let until: u64 = env.storage().instance().get(&UNTIL).unwrap();
        if env.ledger().timestamp() <= until {
            books::pay(&env, &from, &to, amount);
        }
        books::announce(&env, &from, &to, amount);
    }
}
