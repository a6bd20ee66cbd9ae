//! A call that is tried out, as Stellar RPC does it for `simulateTransaction`.

use crate::call::Call;
use crate::env::e2e_invoke::RecordingInvocationAuthMode;
use crate::env::events::HostEvent;
use crate::env::xdr::*;
use crate::env::HostError;
use crate::memory::{take, Output, LIMITS};
use crate::network;
use crate::sim::simulation::{
    simulate_invoke_host_function_op, InvokeHostFunctionSimulationResult, LedgerEntryDiff,
    SimulationAdjustmentConfig, SimulationAdjustmentFactor,
};
use crate::state::Snapshot;
use anyhow::Result;
use std::rc::Rc;

/// How an answer begins.
const REFUSED: u32 = 0;
const FAILED: u32 = 1;
const SUCCEEDED: u32 = 2;

/// What becomes of authorization entries; any other number enforces those that are given.
const RECORD: u32 = 1;
const RECORD_ALLOW_NON_ROOT: u32 = 2;

/// # Safety
/// The input is an allocation of the caller, which hands it over.
#[no_mangle]
pub unsafe extern "C" fn simulate(at: *mut u8, len: usize) -> u64 {
    let mut output = Output::default();
    match run(&take(at, len)) {
        Err(error) => {
            output.number(REFUSED);
            output.bytes(format!("{error:#}").as_bytes());
        }
        Ok(result) => write(&mut output, &result),
    }
    output.give()
}

fn run(bytes: &[u8]) -> Result<InvokeHostFunctionSimulationResult> {
    let mut input = Limited::new(bytes, LIMITS);
    let (sequence, timestamp) = (u32::read_xdr(&mut input)?, u64::read_xdr(&mut input)?);
    let (mode, upgraded) = (u32::read_xdr(&mut input)?, bool::read_xdr(&mut input)?);
    let leeway = u32::read_xdr(&mut input)?;
    let seed = <[u8; 32]>::read_xdr(&mut input)?;
    let Call { source, operation, .. } = Call::read(input.inner)?;

    let mut adjustment = SimulationAdjustmentConfig::default_adjustment();
    let SimulationAdjustmentFactor { multiplicative_factor, additive_factor } = adjustment.instructions;
    adjustment.instructions =
        SimulationAdjustmentFactor::new(multiplicative_factor, additive_factor.max(leeway));
    let auth = match mode {
        RECORD | RECORD_ALLOW_NON_ROOT => RecordingInvocationAuthMode::recording(mode == RECORD, upgraded),
        _ => RecordingInvocationAuthMode::Enforcing(operation.auth.to_vec()),
    };
    network::with(|network| {
        let ledger = network.ledger(sequence, timestamp);
        let (state, function) = (Rc::new(Snapshot), operation.host_function);
        simulate_invoke_host_function_op(
            state,
            &network.config,
            &adjustment,
            &ledger,
            function,
            auth,
            &source,
            seed,
            true,
        )
    })
}

fn write(output: &mut Output, result: &InvokeHostFunctionSimulationResult) {
    match (&result.invoke_result, &result.transaction_data) {
        (Ok(value), Some(data)) => {
            output.number(SUCCEEDED);
            output.list(&result.diagnostic_events, Output::xdr);
            output.xdr(value);
            output.xdr(data);
            output.stroops(data.resource_fee);
            output.list(&result.auth, Output::xdr);
            output.list(&result.modified_entries, write_change);
        }
        (outcome, _) => {
            output.number(FAILED);
            output.list(&result.diagnostic_events, Output::xdr);
            output.bytes(failure_text(outcome.as_ref().err(), &result.diagnostic_events).as_bytes());
        }
    }
}

fn write_change(output: &mut Output, LedgerEntryDiff { state_before, state_after }: &LedgerEntryDiff) {
    let key = state_after.as_ref().or(state_before.as_ref()).map(LedgerEntry::to_key);
    output.optional(key.as_ref());
    output.optional(state_before.as_ref());
    output.optional(state_after.as_ref());
}

/// The host writes its log of events only in a build for tests, which meters otherwise: so it is written here.
fn failure_text(error: Option<&HostError>, events: &[DiagnosticEvent]) -> String {
    let mut text = match error {
        Some(error) => format!("HostError: {:?}\n", error.error),
        None => "the simulation gave no transaction data\n".to_owned(),
    };
    if !events.is_empty() {
        text.push_str("\nEvent log (newest first):\n");
    }
    for (index, DiagnosticEvent { event, .. }) in events.iter().rev().enumerate() {
        text.push_str(&format!("   {index}: {}\n", HostEvent { event: event.clone(), failed_call: false }));
    }
    text
}
