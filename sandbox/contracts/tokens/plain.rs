//! An honest token that is no Stellar asset contract: it moves what it announces.
#![no_std]
use sandbox_contracts::books;
use soroban_sdk::{contract, contractimpl, Address, Env};

#[contract]
pub struct Token;

#[contractimpl]
impl Token {
    pub fn mint(env: Env, to: Address, amount: i128) {
        books::credit(&env, &to, amount);
    }

    pub fn balance(env: Env, id: Address) -> i128 {
        books::balance(&env, &id)
    }

    pub fn transfer(env: Env, from: Address, to: Address, amount: i128) {
        from.require_auth();
        books::pay(&env, &from, &to, amount);
        books::announce(&env, &from, &to, amount);
    }
}
