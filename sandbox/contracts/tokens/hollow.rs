//! Announces the transfer and moves nothing. It may even do so without asking the payer.
#![no_std]
use sandbox_contracts::books;
use soroban_sdk::{contract, contractimpl, symbol_short, Address, Env, Symbol};

const ASKS: Symbol = symbol_short!("asks");

#[contract]
pub struct Token;

#[contractimpl]
impl Token {
    /// `asks`: whether a transfer needs the payer's authorization.
    pub fn __constructor(env: Env, asks: bool) {
        env.storage().instance().set(&ASKS, &asks);
    }

    pub fn mint(env: Env, to: Address, amount: i128) {
        books::credit(&env, &to, amount);
    }

    pub fn balance(env: Env, id: Address) -> i128 {
        books::balance(&env, &id)
    }

    pub fn transfer(env: Env, from: Address, to: Address, amount: i128) {
        // A token that became this one by an upgrade has not been asked.
        if env.storage().instance().get(&ASKS).unwrap_or(true) {
            from.require_auth();
        }
        books::announce(&env, &from, &to, amount);
    }
}
