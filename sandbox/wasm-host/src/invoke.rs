//! A call within the resources that its transaction declares, as a ledger applies it.

use crate::call::{archived, Call};
use crate::compiled::modules;
use crate::env::budget::Budget;
use crate::env::e2e_invoke::{
    entry_size_for_rent, extract_rent_changes, invoke_host_function, LedgerEntryChange, TtlLedgerEntryMeta,
};
use crate::env::fees::compute_rent_fee;
use crate::env::ledger_info::get_key_durability;
use crate::env::xdr::*;
use crate::memory::{take, Output, LIMITS};
use crate::network::{self, Network};
use crate::state::{load, Loaded};
use anyhow::{Context, Result};
use InvokeHostFunctionResult as Outcome;

struct Done {
    value: Vec<u8>,
    events: Vec<Vec<u8>>,
    changes: Vec<LedgerEntryChange>,
    rent: i64,
    refundable: i64,
}

/// What becomes of an entry.
const WRITTEN: u32 = 0;
const REMOVED: u32 = 1;
const EXTENDED: u32 = 2;

/// # Safety
/// The input is an allocation of the caller, which hands it over.
#[no_mangle]
pub unsafe extern "C" fn invoke(at: *mut u8, len: usize) -> u64 {
    network::with(|network| run(network, &take(at, len))).expect("an admitted transaction").give()
}

fn run(network: &Network, bytes: &[u8]) -> Result<Output> {
    let mut input = Limited::new(bytes, LIMITS);
    let (sequence, timestamp) = (u32::read_xdr(&mut input)?, u64::read_xdr(&mut input)?);
    let seed = <[u8; 32]>::read_xdr(&mut input)?;
    let call = Call::read(input.inner)?;
    let data = call.data.as_ref().context("no resources")?;
    let (kept, _) = call.fee(network, data, 0);

    let mut diagnostics = vec![];
    let done = match entries_of(network, data, sequence)? {
        Err(outcome) => Err(outcome),
        Ok(entries) => execute(network, &call, data, (sequence, timestamp, seed), entries, &mut diagnostics)?,
    };
    let done = done.and_then(|done| {
        let limit = data.resource_fee - kept;
        if done.refundable > limit {
            Err(Outcome::InsufficientRefundableFee)
        } else {
            Ok(done)
        }
    });
    let mut output = Output::default();
    output.stroops(kept);
    output.list(&diagnostics, Output::xdr);
    write(&mut output, done)?;
    Ok(output)
}

/// The footprint's entries as a ledger loads them; or why it does not.
fn entries_of(
    network: &Network,
    data: &SorobanTransactionData,
    sequence: u32,
) -> Result<Result<Vec<Option<Loaded>>, Outcome>> {
    let LedgerFootprint { read_only, read_write } = &data.resources.footprint;
    let (mut entries, mut disk_read_bytes) = (vec![], 0);
    for (index, key) in read_only.iter().chain(read_write.iter()).enumerate() {
        let mut found = load(key)?;
        if let Some((xdr, live_until)) = &mut found {
            let expired = live_until.is_some_and(|until| until < sequence);
            let durability = get_key_durability(key);
            if expired && durability == Some(ContractDataDurability::Temporary) {
                entries.push(None);
                continue;
            }
            if expired {
                let place = index.checked_sub(read_only.len()).map(|place| place as u32);
                if !place.is_some_and(|place| archived(data).contains(&place)) {
                    return Ok(Err(Outcome::EntryArchived));
                }
                *live_until = Some(sequence + network.config.min_persistent_entry_ttl - 1);
            }
            if expired || durability.is_none() {
                disk_read_bytes += xdr.len();
            }
        }
        entries.push(found);
    }
    if disk_read_bytes > data.resources.disk_read_bytes as usize {
        return Ok(Err(Outcome::ResourceLimitExceeded));
    }
    Ok(Ok(entries))
}

fn execute(
    network: &Network,
    call: &Call,
    data: &SorobanTransactionData,
    (sequence, timestamp, seed): (u32, u64, [u8; 32]),
    entries: Vec<Option<Loaded>>,
    diagnostics: &mut Vec<DiagnosticEvent>,
) -> Result<Result<Done, Outcome>> {
    let (config, resources) = (&network.config, &data.resources);
    let budget = Budget::try_from_configs(
        resources.instructions as u64,
        config.tx_memory_limit as u64,
        config.cpu_cost_params.clone(),
        config.memory_cost_params.clone(),
    )?;
    let (mut loaded, mut decoded) = (vec![], vec![]);
    for entry in &entries {
        let Some((xdr, live_until)) = entry else {
            loaded.push((None, None));
            continue;
        };
        let entry = LedgerEntry::from_xdr(xdr, LIMITS)?;
        let entry_size_for_rent = entry_size_for_rent(&budget, &entry, xdr.len() as u32)?;
        let meta = |live_until_ledger| TtlLedgerEntryMeta { live_until_ledger, entry_size_for_rent };
        loaded.push((Some(xdr), live_until.map(meta)));
        decoded.push(entry);
    }
    let auth = call.operation.auth.iter().map(|entry| entry.to_xdr(LIMITS)).collect::<Result<Vec<_>, _>>()?;
    let ran = invoke_host_function(
        &budget,
        true,
        &call.operation.host_function.to_xdr(LIMITS)?,
        &resources.to_xdr(LIMITS)?,
        archived(data),
        &call.source.to_xdr(LIMITS)?,
        auth.iter(),
        network.ledger(sequence, timestamp),
        loaded.into_iter(),
        &seed.to_vec(),
        diagnostics,
        None,
        Some(modules(network, sequence, &decoded)?),
    );
    let result = ran.and_then(|result| Ok((result.encoded_invoke_result.clone()?, result)));
    let Ok((value, result)) = result else {
        let exceeded = budget.get_cpu_insns_consumed()? > resources.instructions as u64
            || budget.get_mem_bytes_consumed()? > config.tx_memory_limit as u64;
        return Ok(Err(if exceeded { Outcome::ResourceLimitExceeded } else { Outcome::Trapped }));
    };
    let (events, changes) = (result.encoded_contract_events, result.ledger_changes);
    let written: usize = changes.iter().flat_map(|change| &change.encoded_new_value).map(Vec::len).sum();
    let event_bytes = (value.len() + events.iter().map(Vec::len).sum::<usize>()) as u32;
    if written > resources.write_bytes as usize || event_bytes > network.max_event_bytes {
        return Ok(Err(Outcome::ResourceLimitExceeded));
    }
    let rent = compute_rent_fee(&extract_rent_changes(&changes), &config.rent_fee_configuration, sequence);
    let refundable = rent + call.fee(network, data, event_bytes).1;
    Ok(Ok(Done { value, events, changes, rent, refundable }))
}

fn write(output: &mut Output, done: Result<Done, Outcome>) -> Result<()> {
    let done = match done {
        Ok(done) => done,
        Err(outcome) => {
            output.number(0);
            output.xdr(&outcome);
            return Ok(());
        }
    };
    let events = done
        .events
        .iter()
        .map(|event| ContractEvent::from_xdr(event, LIMITS))
        .collect::<Result<Vec<_>, _>>()?;
    // A success is told by a hash of the value and the events in XDR, one after the other.
    output.number(1);
    output.bytes(&done.value);
    output.list(&events, |output, event| {
        let ContractEventBody::V0(ContractEventV0 { topics, data }) = &event.body;
        output.xdr(event);
        output.optional(event.contract_id.as_ref());
        output.list(topics, Output::xdr);
        output.xdr(data);
    });
    output.stroops(done.rent);
    output.stroops(done.refundable);
    let kind = |change: &LedgerEntryChange| match change {
        LedgerEntryChange { read_only: true, .. } => EXTENDED,
        LedgerEntryChange { encoded_new_value: None, .. } => REMOVED,
        _ => WRITTEN,
    };
    output.list(&done.changes, |output, change| {
        output.number(kind(change));
        output.bytes(&change.encoded_key);
        output.bytes(change.encoded_new_value.as_deref().unwrap_or(&[]));
        output.number(change.ttl_change.as_ref().map_or(0, |ttl| ttl.new_live_until_ledger));
    });
    Ok(())
}
