//! Tests of the store in memory.

use super::*;
use crate::{protocol::Tenant, store::Tombstone};

#[tokio::test]
async fn tombstones_cannot_fill_the_memory() {
    let memory = Memory::new();
    for number in 0..3 * TOMBSTONES {
        // All of an instance are in one shard.
        let instance = if number % 2 == 0 { number.to_string() } else { "one".to_owned() };
        let key =
            Key { tenant: Tenant::default(), instance: instance.into(), binding: Some(number.to_string().into()) };
        let tombstone = Tombstone {
            operation: String::new(),
            is_delete: true,
            accepted: false,
            failure: None,
            cancelled: None,
            forget_at: Timestamp(number as u64),
        };
        let mut bury = |records: &mut [Option<Record>]| records[0] = Some(tombstone.clone().into());
        memory.transact(&[key], &mut bury).await.expect("the store works");
    }
    let left = memory.list(None, usize::MAX).await.expect("the store works");
    assert_eq!(left.len(), TOMBSTONES);
    let oldest = left.iter().filter_map(|(_, record)| record.forget_at()).min().expect("there are some");
    assert_eq!(oldest.0, 2 * TOMBSTONES as u64, "the oldest are forgotten first");
    memory.forget(Timestamp(u64::MAX)).await.expect("the store works");
    assert!(memory.list(None, 1).await.expect("the store works").is_empty());
}
