use std::collections::BTreeSet;

use super::new_id;

/// More than the random numbers for one call of the system suffice for.
#[test]
fn url_02_operation_ids_differ_and_need_no_encoding() {
    let ids: BTreeSet<_> = (0..1000).map(|_| new_id()).collect();
    assert_eq!(ids.len(), 1000);
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(is_digit)), "{ids:?}");
}
