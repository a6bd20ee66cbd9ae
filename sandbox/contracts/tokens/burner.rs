//! Works for a number of rounds before it pays: much more than a transfer is worth, or more than the network allows.
#![no_std]
use sandbox_contracts::{books, work};
use soroban_sdk::{contract, contractimpl, symbol_short, Address, Env, Symbol};

const ROUNDS: Symbol = symbol_short!("rounds");

#[contract]
pub struct Token;

#[contractimpl]
impl Token {
    pub fn __constructor(env: Env, rounds: u32) {
        env.storage().instance().set(&ROUNDS, &rounds);
    }

    pub fn mint(env: Env, to: Address, amount: i128) {
        books::credit(&env, &to, amount);
    }

    pub fn balance(env: Env, id: Address) -> i128 {
        books::balance(&env, &id)
    }

    pub fn transfer(env: Env, from: Address, to: Address, amount: i128) {
        from.require_auth();
        work::burn(&env, env.storage().instance().get(&ROUNDS).unwrap());
        books::pay(&env, &from, &to, amount);
        books::announce(&env, &from, &to, amount);
    }
}
