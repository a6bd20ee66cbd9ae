//! What of an envelope the host needs.

use crate::env::fees::{compute_transaction_resource_fee, TransactionResources};
use crate::env::ledger_info::get_key_durability;
use crate::env::xdr::*;
use crate::memory::{take, LIMITS};
use crate::network::{self, Network};
use anyhow::{bail, Context, Result};

pub struct Call {
    pub source: AccountId,
    pub operation: InvokeHostFunctionOp,
    pub data: Option<SorobanTransactionData>,
    size: usize,
}

impl Call {
    pub fn read(envelope: &[u8]) -> Result<Call> {
        let size = envelope.len();
        let transaction = match TransactionEnvelope::from_xdr(envelope, LIMITS)? {
            TransactionEnvelope::Tx(v1) => v1.tx,
            TransactionEnvelope::TxFeeBump(bump) => {
                let FeeBumpTransactionInnerTx::Tx(v1) = bump.tx.inner_tx;
                v1.tx
            }
            TransactionEnvelope::TxV0(_) => bail!("v0 envelopes are not supported"),
        };
        let data = match transaction.ext {
            TransactionExt::V1(data) => Some(data),
            TransactionExt::V0 => None,
        };
        let operation = transaction.operations.first().context("no operation")?.clone();
        let OperationBody::InvokeHostFunction(invocation) = operation.body else { bail!("no contract call") };
        let source = match operation.source_account.unwrap_or(transaction.source_account) {
            MuxedAccount::Ed25519(key) => key,
            MuxedAccount::MuxedEd25519(muxed) => muxed.ed25519,
        };
        let source = AccountId(PublicKey::PublicKeyTypeEd25519(source));
        Ok(Call { source, operation: invocation, data, size })
    }

    /// Stroops for the declared resources, which are kept, and for events of so many bytes.
    pub fn fee(&self, network: &Network, data: &SorobanTransactionData, event_bytes: u32) -> (i64, i64) {
        let SorobanResources { footprint, instructions, disk_read_bytes, write_bytes } = &data.resources;
        let keys = footprint.read_only.iter().chain(footprint.read_write.iter());
        let classic = keys.filter(|key| get_key_durability(key).is_none()).count();
        let resources = TransactionResources {
            instructions: *instructions,
            disk_read_entries: (classic + archived(data).len()) as u32,
            write_entries: footprint.read_write.len() as u32,
            disk_read_bytes: *disk_read_bytes,
            write_bytes: *write_bytes,
            contract_events_size_bytes: event_bytes,
            transaction_size_bytes: self.size as u32,
        };
        compute_transaction_resource_fee(&resources, &network.config.fee_configuration)
    }
}

/// The entries that the transaction restores: their places among those that it writes.
pub fn archived(data: &SorobanTransactionData) -> &[u32] {
    match &data.ext {
        SorobanTransactionDataExt::V1(resources) => &resources.archived_soroban_entries,
        SorobanTransactionDataExt::V0 => &[],
    }
}

/// Stroops that an envelope must offer at least for its resources; -1 if this protocol's nodes cannot read it.
///
/// # Safety
/// The envelope is an allocation of the caller, which hands it over.
#[no_mangle]
pub unsafe extern "C" fn least_fee(at: *mut u8, len: usize) -> i64 {
    let envelope = take(at, len);
    if TransactionEnvelope::from_xdr(&envelope, LIMITS).is_err() {
        return -1;
    }
    let Ok(call) = Call::read(&envelope) else { return 0 };
    call.data.as_ref().map_or(0, |data| network::with(|network| call.fee(network, data, 0).0))
}
