//! What several of the contracts need: a token's books, and work that costs instructions.
#![no_std]

pub mod books;
pub mod work;
