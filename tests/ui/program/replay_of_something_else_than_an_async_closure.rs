//! The closures of a replay, which make a broker and list the resources, are not `async`, return a `Result`, or are a list.

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

// Mistake: A list stands in place of the closure that lists the resources.
pub async fn a_list() {
    osb_testing::Replay::of(async || Broker { kv: Kv }).left(vec!["one"]).run().await;
}

// Mistake: The closure that lists the resources is not `async`.
pub async fn a_list_that_is_not_async() {
    osb_testing::Replay::of(async || Broker { kv: Kv }).left(|| vec!["one"]).run().await;
}
