//! Keeps a tenth of every transfer. The honest kind announces what arrives, the other kind what was sent.
#![no_std]
use sandbox_contracts::books;
use soroban_sdk::{contract, contractimpl, symbol_short, Address, Env, Symbol};

const ADMITS: Symbol = symbol_short!("admits");

#[contract]
pub struct Token;

#[contractimpl]
impl Token {
    /// `admits`: whether the event says what arrives.
    pub fn __constructor(env: Env, admits: bool) {
        env.storage().instance().set(&ADMITS, &admits);
        // An entry that is there already makes a transfer no dearer.
        books::credit(&env, &env.current_contract_address(), 0);
    }

    pub fn mint(env: Env, to: Address, amount: i128) {
        books::credit(&env, &to, amount);
    }

    pub fn balance(env: Env, id: Address) -> i128 {
        books::balance(&env, &id)
    }

    pub fn transfer(env: Env, from: Address, to: Address, amount: i128) {
        from.require_auth();
        let kept = amount / 10;
        books::pay(&env, &from, &to, amount - kept);
        books::pay(&env, &from, &env.current_contract_address(), kept);
        let admits: bool = env.storage().instance().get(&ADMITS).unwrap();
        books::announce(&env, &from, &to, if admits { amount - kept } else { amount });
    }
}
