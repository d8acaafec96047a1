//! The closures of a replay, which make a broker and list the resources, are not `async`, return a `Result` or numbers, or are a broker or a list.

include!("../case.rs");

broker!();

// Mistake: The closure that makes a broker for a replay returns a `Result`, or is not `async`.
pub async fn a_result() {
    osb_testing::Replay::of(async || Ok(Broker { kv: Kv })).plan("kv", "free").run().await;
}

// Mistake: The closure that makes a broker for a replay is not `async`.
pub async fn not_async() {
    osb_testing::Replay::of(|| Broker { kv: Kv }).run().await;
}

// Mistake: The closure that makes a broker for a replay returns a `Result`, or is not `async`.
pub async fn not_async_either() {
    osb_testing::assert_idempotent(|| Broker { kv: Kv }).await;
}

// Mistake: A broker stands in place of the closure that makes it for a replay.
pub async fn a_broker() {
    osb_testing::assert_idempotent(Broker { kv: Kv }).await;
}

// Mistake: A list stands in place of the closure that lists the resources.
pub async fn a_list() {
    osb_testing::Replay::of(async || Broker { kv: Kv }).left(vec!["one"]).run().await;
}

// Mistake: The closure that lists the resources is not `async`.
pub async fn a_list_that_is_not_async() {
    osb_testing::Replay::of(async || Broker { kv: Kv }).left(|| vec!["one"]).run().await;
}

// Mistake: The closure that lists the resources counts them.
pub async fn a_number() {
    osb_testing::Replay::of(async || Broker { kv: Kv }).left(async || 0_usize).run().await;
}
