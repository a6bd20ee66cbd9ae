//! One key, and a spending policy: it looks at the calls that it is to authorize, and refuses a transfer above its limit
//! and every other call, however well signed.
#![no_std]
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contracterror, contractimpl, symbol_short, BytesN, Env, Symbol, TryFromVal, Vec};

const KEY: Symbol = symbol_short!("key");
const LIMIT: Symbol = symbol_short!("limit");
const AMOUNT_AT: u32 = 2;

#[contracterror]
#[derive(Copy, Clone)]
#[repr(u32)]
pub enum Refusal {
    NoTransfer = 1,
    OverLimit = 2,
}

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    pub fn __constructor(env: Env, key: BytesN<32>, limit: i128) {
        env.storage().instance().set(&KEY, &key);
        env.storage().instance().set(&LIMIT, &limit);
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
        for call in calls.iter() {
            match call {
                Context::Contract(call) if call.fn_name == symbol_short!("transfer") => {
                    let amount = call.args.get(AMOUNT_AT).and_then(|amount| i128::try_from_val(&env, &amount).ok());
                    if amount.ok_or(Refusal::NoTransfer)? > limit {
                        return Err(Refusal::OverLimit);
                    }
                }
                _ => return Err(Refusal::NoTransfer),
            }
        }
        Ok(())
    }
}
