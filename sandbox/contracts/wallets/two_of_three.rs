//! Three ed25519 keys, of which two must sign.
#![no_std]
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contracterror, contractimpl, contracttype, symbol_short, BytesN, Env, Symbol, Vec};

const KEYS: Symbol = symbol_short!("keys");
const THRESHOLD: u32 = 2;

#[contracterror]
#[derive(Copy, Clone)]
#[repr(u32)]
pub enum Refusal {
    TooFew = 1,
    OutOfOrder = 2,
    UnknownKey = 3,
}

#[contracttype]
#[derive(Clone)]
pub struct Signed {
    /// Which of the keys.
    pub key: u32,
    pub signature: BytesN<64>,
}

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    pub fn __constructor(env: Env, keys: Vec<BytesN<32>>) {
        env.storage().instance().set(&KEYS, &keys);
    }
}

#[contractimpl]
impl CustomAccountInterface for Wallet {
    type Signature = Vec<Signed>;
    type Error = Refusal;

    fn __check_auth(env: Env, payload: Hash<32>, signed: Vec<Signed>, _calls: Vec<Context>) -> Result<(), Refusal> {
        let keys: Vec<BytesN<32>> = env.storage().instance().get(&KEYS).unwrap();
        if signed.len() < THRESHOLD {
            return Err(Refusal::TooFew);
        }
        let payload = payload.into();
        // In rising order, so that no key counts twice.
        let mut next = 0;
        for Signed { key, signature } in signed.iter() {
            if key < next {
                return Err(Refusal::OutOfOrder);
            }
            next = key + 1;
            let key = keys.get(key).ok_or(Refusal::UnknownKey)?;
            env.crypto().ed25519_verify(&key, &payload, &signature);
        }
        Ok(())
    }
}
