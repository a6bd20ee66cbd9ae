//! The ledger's entries: the caller has them.

use crate::env::storage::{EntryWithLiveUntil, SnapshotSource};
use crate::env::xdr::{LedgerEntry, LedgerKey, ReadXdr, ScErrorCode, ScErrorType, WriteXdr};
use crate::env::HostError;
use crate::memory::{take, LIMITS};
use std::rc::Rc;

#[link(wasm_import_module = "ledger")]
extern "C" {
    /// 0, or where the entry is: the ledger until which it lives (0 if it cannot expire), and then its XDR.
    fn entry(key: *const u8, len: usize) -> u64;
}

/// An entry's XDR and, where it can expire, until when it lives. It may have expired.
pub type Loaded = (Vec<u8>, Option<u32>);

pub fn load(key: &LedgerKey) -> anyhow::Result<Option<Loaded>> {
    let key = key.to_xdr(LIMITS)?;
    let found = unsafe { entry(key.as_ptr(), key.len()) };
    if found == 0 {
        return Ok(None);
    }
    let mut bytes = unsafe { take((found >> 32) as usize as *mut u8, found as u32 as usize) };
    let xdr = bytes.split_off(4);
    let live_until = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
    Ok(Some((xdr, (live_until > 0).then_some(live_until))))
}

pub struct Snapshot;

impl SnapshotSource for Snapshot {
    fn get(&self, key: &Rc<LedgerKey>) -> Result<Option<EntryWithLiveUntil>, HostError> {
        let found = load(key).and_then(|found| {
            found.map(|(xdr, until)| Ok((Rc::new(LedgerEntry::from_xdr(xdr, LIMITS)?), until))).transpose()
        });
        found.map_err(|_| (ScErrorType::Storage, ScErrorCode::InternalError).into())
    }
}
