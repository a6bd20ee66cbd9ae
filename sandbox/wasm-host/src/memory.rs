//! How bytes cross over. Who writes them allocates, who reads them frees; address and length travel as one number.

use crate::env::xdr::{Limits, WriteXdr};

pub const LIMITS: Limits = Limits { depth: 500, len: 0x1000000 };

#[no_mangle]
pub extern "C" fn alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; len].into_boxed_slice()) as *mut u8
}

/// # Safety
/// `at` and `len` are those of one allocation, which nobody uses any more.
#[no_mangle]
pub unsafe extern "C" fn free(at: *mut u8, len: usize) {
    drop(take(at, len));
}

/// # Safety
/// As for `free`.
pub unsafe fn take(at: *mut u8, len: usize) -> Vec<u8> {
    Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, len)).into_vec()
}

/// What a call answers: numbers, big-endian, and bytes with their length before them.
#[derive(Default)]
pub struct Output(Vec<u8>);

impl Output {
    pub fn number(&mut self, n: u32) {
        self.0.extend(n.to_be_bytes());
    }

    pub fn stroops(&mut self, n: i64) {
        self.0.extend(n.to_be_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.0.extend(bytes);
    }

    pub fn xdr(&mut self, value: &impl WriteXdr) {
        self.bytes(&value.to_xdr(LIMITS).expect("a value of the host is within the limits"));
    }

    /// No bytes where there is no value.
    pub fn optional(&mut self, value: Option<&impl WriteXdr>) {
        match value {
            Some(value) => self.xdr(value),
            None => self.number(0),
        }
    }

    pub fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.number(items.len() as u32);
        items.iter().for_each(|item| write(self, item));
    }

    pub fn give(self) -> u64 {
        let bytes = self.0.into_boxed_slice();
        let len = bytes.len() as u64;
        (Box::into_raw(bytes) as *mut u8 as u64) << 32 | len
    }
}
