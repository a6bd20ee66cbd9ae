//! Contracts as nodes keep them: compiled when the ledger that brings their code has closed, at nobody's expense. A call
//! in that ledger itself pays for it, as simulation foresees.

use crate::env::budget::{AsBudget, Budget};
use crate::env::xdr::{LedgerEntry, LedgerEntryData};
use crate::env::{CompilationContext, Error, ErrorHandler, HostError, ModuleCache, Val};
use crate::network::Network;
use std::cell::OnceCell;
use std::fmt::Debug;

#[derive(Clone)]
struct Unlimited(Budget);

impl AsBudget for Unlimited {
    fn as_budget(&self) -> &Budget {
        &self.0
    }
}

impl ErrorHandler for Unlimited {
    fn map_err<T, E: Debug>(&self, result: Result<T, E>) -> Result<T, HostError>
    where
        Error: From<E>,
    {
        result.map_err(HostError::from)
    }

    fn error(&self, error: Error, _: &str, _: &[Val]) -> HostError {
        HostError::from(error)
    }
}

impl CompilationContext for Unlimited {}

thread_local!(static CACHE: OnceCell<ModuleCache> = const { OnceCell::new() });

/// With those of the entries that hold code from earlier ledgers.
pub fn modules(network: &Network, sequence: u32, entries: &[LedgerEntry]) -> Result<ModuleCache, HostError> {
    let (cpu, memory) = (network.config.cpu_cost_params.clone(), network.config.memory_cost_params.clone());
    let context = Unlimited(Budget::try_from_configs(u64::MAX, u64::MAX, cpu, memory)?);
    let cache = match CACHE.with(|cell| cell.get().cloned()) {
        Some(cache) => cache,
        None => ModuleCache::new(&context)?,
    };
    for entry in entries {
        let LedgerEntryData::ContractCode(contract) = &entry.data else { continue };
        if entry.last_modified_ledger_seq < sequence && !cache.contains_module(&contract.hash)? {
            cache.parse_and_cache_module_simple(&context, crate::PROTOCOL, &contract.code)?;
        }
    }
    CACHE.with(|cell| drop(cell.set(cache.clone())));
    Ok(cache)
}
