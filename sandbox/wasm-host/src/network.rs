//! The network that the host runs for: its id, limits, lifetimes, fees and costs, as the caller gives them once.

use crate::env::fees::{FeeConfiguration, RentFeeConfiguration};
use crate::env::xdr::{
    ContractCostParamEntry, ContractCostParams, ContractCostType, ExtensionPoint, Limited, ReadXdr,
};
use crate::env::LedgerInfo;
use crate::memory::{take, LIMITS};
use crate::sim::NetworkConfig;
use std::cell::OnceCell;

pub struct Network {
    id: [u8; 32],
    base_reserve: u32,
    pub max_event_bytes: u32,
    pub config: NetworkConfig,
}

#[link(wasm_import_module = "ledger")]
extern "C" {
    /// Tells why, and does not return.
    fn panicked(text: *const u8, len: usize);
}

thread_local!(static NETWORK: OnceCell<Network> = const { OnceCell::new() });

/// Before all else: the id, then the numbers in the order in which they are read here, then a row for each cost.
///
/// # Safety
/// The input is an allocation of the caller, which hands it over.
#[no_mangle]
pub unsafe extern "C" fn configure(at: *mut u8, len: usize) {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        unsafe { panicked(text.as_ptr(), text.len()) }
    }));
    let network = read(&take(at, len)).expect("the settings of a network");
    NETWORK.with(|cell| assert!(cell.set(network).is_ok(), "configured already"));
}

pub fn with<R>(run: impl FnOnce(&Network) -> R) -> R {
    NETWORK.with(|cell| run(cell.get().expect("configured first")))
}

fn read(bytes: &[u8]) -> anyhow::Result<Network> {
    let mut input = Limited::new(bytes, LIMITS);
    let id = <[u8; 32]>::read_xdr(&mut input)?;
    let mut next = || i64::read_xdr(&mut input);
    let base_reserve = next()? as u32;
    let max_event_bytes = next()? as u32;
    let [tx_max_instructions, tx_memory_limit] = [next()?, next()?];
    let [min_temp_entry_ttl, min_persistent_entry_ttl, max_entry_ttl] = [next()?, next()?, next()?];
    let fee_configuration = FeeConfiguration {
        fee_per_instruction_increment: next()?,
        fee_per_disk_read_entry: next()?,
        fee_per_write_entry: next()?,
        fee_per_disk_read_1kb: next()?,
        fee_per_write_1kb: next()?,
        fee_per_historical_1kb: next()?,
        fee_per_contract_event_1kb: next()?,
        fee_per_transaction_size_1kb: next()?,
    };
    let rent_fee_configuration = RentFeeConfiguration {
        fee_per_rent_1kb: next()?,
        fee_per_write_1kb: fee_configuration.fee_per_write_1kb,
        fee_per_write_entry: fee_configuration.fee_per_write_entry,
        persistent_rent_rate_denominator: next()?,
        temporary_rent_rate_denominator: next()?,
    };
    let (mut cpu, mut memory) = (vec![], vec![]);
    // The rows are those of the newest protocol; an older one does not know the last of them.
    for _ in ContractCostType::variants() {
        for params in [&mut cpu, &mut memory] {
            let (const_term, linear_term) = (next()?, next()?);
            params.push(ContractCostParamEntry { ext: ExtensionPoint::V0, const_term, linear_term });
        }
    }
    let config = NetworkConfig {
        fee_configuration,
        rent_fee_configuration,
        tx_max_instructions,
        tx_memory_limit: tx_memory_limit as u32,
        cpu_cost_params: ContractCostParams(cpu.try_into()?),
        memory_cost_params: ContractCostParams(memory.try_into()?),
        min_temp_entry_ttl: min_temp_entry_ttl as u32,
        min_persistent_entry_ttl: min_persistent_entry_ttl as u32,
        max_entry_ttl: max_entry_ttl as u32,
    };
    Ok(Network { id, base_reserve, max_event_bytes, config })
}

impl Network {
    /// The ledger that a call runs in.
    pub fn ledger(&self, sequence_number: u32, timestamp: u64) -> LedgerInfo {
        let mut ledger = LedgerInfo {
            protocol_version: crate::PROTOCOL,
            sequence_number,
            timestamp,
            network_id: self.id,
            base_reserve: self.base_reserve,
            ..Default::default()
        };
        self.config.fill_config_fields_in_ledger_info(&mut ledger);
        ledger
    }
}
