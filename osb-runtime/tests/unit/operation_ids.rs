use std::collections::BTreeSet;

use super::{Operations, Timestamp, lock, new_id};

/// More than the random numbers for one call of the system suffice for.
#[test]
fn url_02_operation_ids_differ_and_need_no_encoding() {
    let ids: BTreeSet<_> = (0..1000).map(|_| new_id()).collect();
    assert_eq!(ids.len(), 1000);
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(is_digit)), "{ids:?}");
}

#[test]
fn an_operation_is_forgotten_with_its_last_request_and_its_last_worker() {
    for worker_is_last in [false, true] {
        let (operations, id, began) = (Operations::default(), new_id(), Timestamp::from_millis(2));
        let (requests, worker) = ([operations.wait(&id), operations.wait(&id)], operations.working(&id, Some(began)));
        assert_eq!(operations.running(), (1, Some(began)));
        let older = operations.working(&new_id(), Some(Timestamp::from_millis(1)));
        assert_eq!(operations.running(), (2, Some(Timestamp::from_millis(1))));
        drop(older);
        if worker_is_last {
            drop(requests);
            assert!(operations.is_working(&id));
            drop(worker);
        } else {
            drop(worker);
            assert!(!operations.is_working(&id));
            drop(requests);
        }
        assert!(lock(&operations.entries).is_empty());
    }
}
