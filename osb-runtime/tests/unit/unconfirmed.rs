//! Tests of claims that the store has not confirmed.

use tokio::sync::Semaphore;

use super::*;
use crate::{lifecycle::Settings, protocol::Tenant, store::Key};

/// Some programs wait without a limit until no worker is left.
#[tokio::test(start_paused = true)]
async fn no_shutdown_waits_for_a_claim_that_is_not_made_much_longer_than_its_lease() {
    let settings = Settings::default();
    let lease = settings.lease;
    let lifecycle = Lifecycle::new(&[], &[], settings);
    let queue_permit = Arc::new(Semaphore::new(1)).acquire_owned().await.expect("it is open");
    let key = Key { tenant: Tenant::default(), instance: "i".into(), binding: None };
    let claim = Claim { key, predecessor: None, operation: "one".into(), attempt: 1 };
    let began = Instant::now();
    lifecycle.end_unconfirmed(claim, queue_permit);
    lifecycle.idle().await;
    assert!((lease..lease * 2).contains(&began.elapsed()), "{:?}", began.elapsed());
    assert!(lifecycle.operations.is_working("one"), "it looks for the claim");
    assert_eq!(lifecycle.operations.running(), (0, None), "alerts would report an operation that is not there");
}
