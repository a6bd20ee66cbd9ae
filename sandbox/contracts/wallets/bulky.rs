//! One key, a check that is cheap, and much code that is never run: a wallet with many features. What it costs to read
//! that code grows with its size, and a simulation may not count it.
#![no_std]
use soroban_sdk::auth::{Context, CustomAccountInterface};
use soroban_sdk::crypto::Hash;
use soroban_sdk::{contract, contractimpl, symbol_short, BytesN, Env, Error, Symbol, Vec};

const KEY: Symbol = symbol_short!("key");

#[contract]
pub struct Wallet;

#[contractimpl]
impl Wallet {
    pub fn __constructor(env: Env, key: BytesN<32>) {
        env.storage().instance().set(&KEY, &key);
    }

    /// Calls any of the features, so that none is left out of the module.
    pub fn feature(which: u32, input: u64) -> u64 {
        features(which, input)
    }
}

#[contractimpl]
impl CustomAccountInterface for Wallet {
    type Signature = BytesN<64>;
    type Error = Error;

    fn __check_auth(env: Env, payload: Hash<32>, signature: BytesN<64>, _calls: Vec<Context>) -> Result<(), Error> {
        let key: BytesN<32> = env.storage().instance().get(&KEY).unwrap();
        env.crypto().ed25519_verify(&key, &payload.into(), &signature);
        Ok(())
    }
}

/// A function for each number, each different from all others.
macro_rules! features {
    ($($number:literal)*) => {
        fn features(which: u32, input: u64) -> u64 {
            match which {
                $($number => feature::<$number>(input),)*
                _ => input,
            }
        }
    };
}

#[inline(never)]
fn feature<const NUMBER: u64>(input: u64) -> u64 {
    let mut mixed = input ^ NUMBER.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9 ^ NUMBER);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb ^ NUMBER);
    mixed ^ (mixed >> 31)
}

features!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
    40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76
    77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110
    111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138
    139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159
);
