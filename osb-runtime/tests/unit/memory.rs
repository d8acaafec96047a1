//! Tests of the store in memory.

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
};

use super::*;
use crate::{
    protocol::Tenant,
    store::{Tombstone, samples},
};

fn tombstone(forget_at: u64) -> Record {
    let forget_at = Timestamp(forget_at);
    Tombstone { operation: "".into(), is_delete: true, accepted: false, failure: None, cancelled: None, forget_at }
        .into()
}

#[tokio::test]
async fn tombstones_cannot_fill_the_memory() {
    let memory = Memory::new();
    for number in 0..3 * TOMBSTONES {
        // All of an instance are in one shard.
        let instance = if number % 2 == 0 { number.to_string() } else { "one".to_owned() };
        let key =
            Key { tenant: Tenant::default(), instance: instance.into(), binding: Some(number.to_string().into()) };
        let mut bury = |records: &mut [Option<Record>]| records[0] = Some(tombstone(number as u64));
        memory.transact(&[key], &mut bury).await.expect("the store works");
    }
    let left = memory.list(None, usize::MAX).await.expect("the store works");
    assert_eq!(left.len(), TOMBSTONES);
    let oldest = left.iter().filter_map(|(_, record)| record.as_ref().ok()?.forget_at()).min().expect("there are some");
    assert_eq!(oldest.0, 2 * TOMBSTONES as u64, "the oldest are forgotten first");
    memory.forget(Timestamp(u64::MAX)).await.expect("the store works");
    assert!(memory.list(None, 1).await.expect("the store works").is_empty());
}

#[tokio::test]
async fn an_id_that_is_used_again_while_its_tombstone_is_removed_is_kept() {
    let (memory, key) =
        (Arc::new(Memory::new()), Key { tenant: Tenant::default(), instance: "i".into(), binding: None });
    let mut bury = |records: &mut [Option<Record>]| records[0] = Some(tombstone(1));
    memory.transact(std::slice::from_ref(&key), &mut bury).await.expect("the store works");
    let mut removing = None;
    let mut use_again = |records: &mut [Option<Record>]| {
        let memory_of_thread = Arc::clone(&memory);
        // Takes the tombstone from the list, and waits for this decision.
        removing = Some(thread::spawn(move || drop(memory_of_thread.forget(Timestamp(2)))));
        while !lock(&memory.tombstones).is_empty() {
            thread::yield_now();
        }
        records[0] = Some(samples::record("made", None).into());
    };
    memory.transact(std::slice::from_ref(&key), &mut use_again).await.expect("the store works");
    removing.map(JoinHandle::join).expect("it was started").expect("no panic");
    let mut is_there = false;
    memory.read(&key, &mut |record| is_there = record.is_some()).await.expect("the store works");
    assert!(is_there);
}

#[tokio::test]
async fn a_record_that_a_panicking_decision_has_made_is_not_removed_with_the_tombstone_before_it() {
    let (memory, key) = (Memory::new(), Key { tenant: Tenant::default(), instance: "i".into(), binding: None });
    let mut bury = |records: &mut [Option<Record>]| records[0] = Some(tombstone(1));
    memory.transact(std::slice::from_ref(&key), &mut bury).await.expect("the store works");
    let mut panics = |records: &mut [Option<Record>]| {
        records[0] = Some(samples::record("made", None).into());
        panic!("as a decision with a mistake");
    };
    let panicked = catch_unwind(AssertUnwindSafe(|| drop(memory.transact(std::slice::from_ref(&key), &mut panics))));
    assert!(panicked.is_err());
    memory.forget(Timestamp(2)).await.expect("the store works");
    assert_eq!(memory.list(None, 1).await.expect("the store works").len(), 1);
}

#[tokio::test]
async fn a_removed_record_takes_no_memory() {
    let (memory, key) = (Memory::new(), Key { tenant: Tenant::default(), instance: "i".into(), binding: None });
    let mut make = |records: &mut [Option<Record>]| records[0] = Some(samples::record("made", None).into());
    let mut remove = |records: &mut [Option<Record>]| records[0] = None;
    memory.transact(std::slice::from_ref(&key), &mut make).await.expect("the store works");
    memory.transact(std::slice::from_ref(&key), &mut remove).await.expect("the store works");
    assert!(memory.shard(&key).records.is_empty());
}
