//! One key, and a spending policy: it looks at the calls that it is to authorize, and refuses a transfer above its limit,
//! one that would spend more than its budget in all, and every other call, however well signed. So its check writes.
#![no_std]
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contracterror, contractimpl, symbol_short, BytesN, Env, Symbol, TryFromVal, Vec};

const KEY: Symbol = symbol_short!("key");
const LIMIT: Symbol = symbol_short!("limit");
const BUDGET: Symbol = symbol_short!("budget");
const SPENT: Symbol = symbol_short!("spent");
const AMOUNT_AT: u32 = 2;

#[contracterror]
#[derive(Copy, Clone)]
#[repr(u32)]
pub enum Refusal {
    NoTransfer = 1,
    OverLimit = 2,
    OverBudget = 3,
}

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    pub fn __constructor(env: Env, key: BytesN<32>, limit: i128, budget: i128) {
        env.storage().instance().set(&KEY, &key);
        env.storage().instance().set(&LIMIT, &limit);
        env.storage().instance().set(&BUDGET, &budget);
    }
}

#[contractimpl]
impl CustomAccountInterface for Wallet {
    type Signature = BytesN<64>;
    type Error = Refusal;

    fn __check_auth(env: Env, payload: Hash<32>, signature: BytesN<64>, calls: Vec<Context>) -> Result<(), Refusal> {
        let key: BytesN<32> = env.storage().instance().get(&KEY).unwrap();
        env.crypto().ed25519_verify(&key, &payload.into(), &signature);
        let limit: i128 = env.storage().instance().get(&LIMIT).unwrap();
        let budget: i128 = env.storage().instance().get(&BUDGET).unwrap();
        let mut spent: i128 = env.storage().persistent().get(&SPENT).unwrap_or(0);
        for call in calls.iter() {
            let amount = match call {
                Context::Contract(call) if call.fn_name == symbol_short!("transfer") => {
                    let amount = call.args.get(AMOUNT_AT).and_then(|amount| i128::try_from_val(&env, &amount).ok());
                    amount.ok_or(Refusal::NoTransfer)?
                }
                _ => return Err(Refusal::NoTransfer),
            };
            if amount > limit {
                return Err(Refusal::OverLimit);
            }
            spent += amount;
        }
        if spent > budget {
            return Err(Refusal::OverBudget);
        }
        env.storage().persistent().set(&SPENT, &spent);
        Ok(())
    }
}
