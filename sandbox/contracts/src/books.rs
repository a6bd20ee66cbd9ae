//! A token's books: balances, and the event that announces a transfer. The lying tokens use them wrongly on purpose.
use soroban_sdk::{symbol_short, Address, Env};

pub fn balance(env: &Env, id: &Address) -> i128 {
    env.storage().persistent().get(id).unwrap_or(0)
}

/// Anyone may be given any amount: these tokens are worth nothing.
pub fn credit(env: &Env, id: &Address, amount: i128) {
    env.storage().persistent().set(id, &(balance(env, id) + amount));
}

pub fn debit(env: &Env, id: &Address, amount: i128) {
    let rest = balance(env, id) - amount;
    if amount < 0 || rest < 0 {
        panic!();
    }
    env.storage().persistent().set(id, &rest);
}

pub fn pay(env: &Env, from: &Address, to: &Address, amount: i128) {
    debit(env, from, amount);
    credit(env, to, amount);
}

/// SEP-41's event of a transfer.
#[allow(deprecated)]
pub fn announce(env: &Env, from: &Address, to: &Address, amount: i128) {
    env.events().publish((symbol_short!("transfer"), from.clone(), to.clone()), amount);
}
