//! A passkey: a P-256 key in a phone or a browser, which signs WebAuthn's envelope and never the payload itself.
#![no_std]
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contracterror, contractimpl, contracttype, symbol_short};
use soroban_sdk::{Bytes, BytesN, Env, Symbol, Vec};

const KEY: Symbol = symbol_short!("key");
/// How client data begins in every browser (WebAuthn, "Limited Verification Algorithm"); then comes the challenge.
const CLIENT_DATA: &[u8; 36] = b"{\"type\":\"webauthn.get\",\"challenge\":\"";
const CHALLENGE_LENGTH: usize = 43;
/// In the authenticator's data: the hash of the relying party's id, then a byte of flags.
const FLAGS_AT: u32 = 32;
const USER_PRESENT: u8 = 1;
const BASE64URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#[contracterror]
#[derive(Copy, Clone)]
#[repr(u32)]
pub enum Refusal {
    NobodyPresent = 1,
    OtherClientData = 2,
}

#[contracttype]
pub struct Assertion {
    pub authenticator_data: Bytes,
    pub client_data_json: Bytes,
    pub signature: BytesN<64>,
}

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    /// `key`: an uncompressed point, 65 bytes.
    pub fn __constructor(env: Env, key: BytesN<65>) {
        env.storage().instance().set(&KEY, &key);
    }
}

#[contractimpl]
impl CustomAccountInterface for Wallet {
    type Signature = Assertion;
    type Error = Refusal;

    fn __check_auth(env: Env, payload: Hash<32>, assertion: Assertion, _calls: Vec<Context>) -> Result<(), Refusal> {
        let Assertion { mut authenticator_data, client_data_json, signature } = assertion;
        if authenticator_data.get(FLAGS_AT).unwrap_or(0) & USER_PRESENT == 0 {
            return Err(Refusal::NobodyPresent);
        }
        if !asks_for(&client_data_json, &payload.to_array()) {
            return Err(Refusal::OtherClientData);
        }
        authenticator_data.append(&env.crypto().sha256(&client_data_json).into());
        let digest = env.crypto().sha256(&authenticator_data);
        let key: BytesN<65> = env.storage().instance().get(&KEY).unwrap();
        // The host takes the lower of the two possible values of s only.
        env.crypto().secp256r1_verify(&key, &digest, &signature);
        Ok(())
    }
}

/// Whether the client data is of an assertion, and its challenge is this payload.
fn asks_for(client_data: &Bytes, payload: &[u8; 32]) -> bool {
    const LENGTH: usize = CLIENT_DATA.len() + CHALLENGE_LENGTH + 1;
    if (client_data.len() as usize) < LENGTH {
        return false;
    }
    let mut start = [0; LENGTH];
    client_data.slice(0..LENGTH as u32).copy_into_slice(&mut start);
    let (head, rest) = start.split_at(CLIENT_DATA.len());
    let (challenge, quote) = rest.split_at(CHALLENGE_LENGTH);
    head == CLIENT_DATA && challenge == base64url(payload) && quote == b"\""
}

fn base64url(bytes: &[u8; 32]) -> [u8; CHALLENGE_LENGTH] {
    let mut text = [0; CHALLENGE_LENGTH];
    for (i, letter) in text.iter_mut().enumerate() {
        let bit = i * 6;
        let high = bytes[bit / 8] as u16;
        let low = if bit / 8 + 1 < bytes.len() { bytes[bit / 8 + 1] as u16 } else { 0 };
        let six = ((high << 8 | low) >> (10 - bit % 8)) & 63;
        *letter = BASE64URL[six as usize];
    }
    text
}
