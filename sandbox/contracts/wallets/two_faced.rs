//! One key, and a check that may end otherwise on the ledger than in the simulation before it. Anyone may say how. What a
//! simulation takes for the time is that of the latest ledger, so a trick that begins a second later escapes it.
#![no_std]
use sandbox_contracts::work;
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contracterror, contractimpl, contracttype, symbol_short, BytesN, Env, Symbol, Vec};

const KEY: Symbol = symbol_short!("key");
const TRICK: Symbol = symbol_short!("trick");
const SAID: Symbol = symbol_short!("said");
/// Costs far more than any leeway that a facilitator would pay for.
const ROUNDS: u32 = 3_000;

#[contracterror]
#[derive(Copy, Clone)]
#[repr(u32)]
pub enum Refusal {
    Changed = 1,
}

#[contracttype]
pub enum Trick {
    /// Signs what is asked.
    Nothing,
    /// Refuses in every second after the one in which this was said.
    RefuseLater,
    /// Works much longer then.
    WorkLater,
    /// Refuses every second time, by chance.
    Toss,
}

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    pub fn __constructor(env: Env, key: BytesN<32>) {
        env.storage().instance().set(&KEY, &key);
        Self::play(env, Trick::Nothing);
    }

    pub fn play(env: Env, trick: Trick) {
        env.storage().instance().set(&TRICK, &trick);
        env.storage().instance().set(&SAID, &env.ledger().timestamp());
    }
}

#[contractimpl]
impl CustomAccountInterface for Wallet {
    type Signature = BytesN<64>;
    type Error = Refusal;

    fn __check_auth(env: Env, payload: Hash<32>, signature: BytesN<64>, _calls: Vec<Context>) -> Result<(), Refusal> {
        let key: BytesN<32> = env.storage().instance().get(&KEY).unwrap();
        env.crypto().ed25519_verify(&key, &payload.into(), &signature);
        let said: u64 = env.storage().instance().get(&SAID).unwrap();
        let is_later = env.ledger().timestamp() > said;
        let refuses = match env.storage().instance().get(&TRICK).unwrap() {
            Trick::Nothing => false,
            Trick::RefuseLater => is_later,
            Trick::WorkLater => {
                work::burn(&env, if is_later { ROUNDS } else { 0 });
                false
            }
            Trick::Toss => env.prng().gen_range::<u64>(0..=1) == 1,
        };
        if refuses { Err(Refusal::Changed) } else { Ok(()) }
    }
}
