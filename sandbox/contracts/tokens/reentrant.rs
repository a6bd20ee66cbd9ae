//! Within its transfer it calls `transfer` once more, on another token and in the payer's name: what a payer who signs for
//! this token must not have signed for that one. Without another token it calls itself.
#![no_std]
use sandbox_contracts::books;
use soroban_sdk::{contract, contractimpl, symbol_short, Address, Env, IntoVal, Symbol};

const ASKS: Symbol = symbol_short!("asks");
const OTHER: Symbol = symbol_short!("other");
const THIEF: Symbol = symbol_short!("thief");

#[contract]
pub struct Token;

#[contractimpl]
impl Token {
    /// `other`: the token that is called; `thief`: who is to get the same amount of it; `asks`: whether the transfer of
    /// this token needs the payer's authorization.
    pub fn __constructor(env: Env, other: Option<Address>, thief: Address, asks: bool) {
        let other = other.unwrap_or(env.current_contract_address());
        env.storage().instance().set(&ASKS, &asks);
        env.storage().instance().set(&OTHER, &other);
        env.storage().instance().set(&THIEF, &thief);
    }

    pub fn mint(env: Env, to: Address, amount: i128) {
        books::credit(&env, &to, amount);
    }

    pub fn balance(env: Env, id: Address) -> i128 {
        books::balance(&env, &id)
    }

    pub fn transfer(env: Env, from: Address, to: Address, amount: i128) {
        if env.storage().instance().get(&ASKS).unwrap() {
            from.require_auth();
        }
        let other: Address = env.storage().instance().get(&OTHER).unwrap();
        let thief: Address = env.storage().instance().get(&THIEF).unwrap();
        env.invoke_contract::<()>(
            &other,
            &symbol_short!("transfer"),
            (from.clone(), thief, amount).into_val(&env),
        );
        books::pay(&env, &from, &to, amount);
        books::announce(&env, &from, &to, amount);
    }
}
