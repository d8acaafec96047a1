//! Tests of the store in memory.

use super::*;
use crate::{protocol::Tenant, store::Tombstone};

#[tokio::test]
async fn tombstones_cannot_fill_the_memory() {
    let memory = Memory::new();
    for number in 0..3 * SHARDS * TOMBSTONES {
        let key = Key { tenant: Tenant::default(), instance: number.to_string().into(), binding: None };
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
    assert_eq!(left.len(), SHARDS * TOMBSTONES);
    let oldest = left.iter().filter_map(|(_, record)| record.forget_at()).min().expect("there are some");
    assert!(oldest.0 > SHARDS as u64 * TOMBSTONES as u64, "the oldest are forgotten first: {oldest:?}");
}
