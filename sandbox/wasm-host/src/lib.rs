//! The Soroban host that the network runs, as a WebAssembly module for the sandbox.
//!
//! A host runs one protocol only, and brings the XDR of its day: what is newer cannot be read, as on a node of that
//! protocol. So the module is built once for each, from this one source; the feature says which.
//!
//! Ledger entries stay with the caller, who is asked for them one by one (`state.rs`). A call's input is numbers in
//! XDR, one after the other, and then the envelope that was sent; its answer is written by `memory::Output`.

mod call;
mod compiled;
mod invoke;
mod memory;
mod network;
mod simulate;
mod state;

#[cfg(feature = "protocol-29")]
pub(crate) use {host29 as env, sim29 as sim};
#[cfg(feature = "protocol-30")]
pub(crate) use {host30 as env, sim30 as sim};

#[cfg(feature = "protocol-29")]
const PROTOCOL: u32 = 29;
#[cfg(feature = "protocol-30")]
const PROTOCOL: u32 = 30;
