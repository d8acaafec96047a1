//! A plan with a mistake is used in several places: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free => Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindabel)]
pub struct Free;

/// 1 GB, billed monthly.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;

/// The parameters of a store.
pub trait Quota: Plan<Create = NoParameters> {
    /// The number of bytes.
    const BYTES: u64;
}
impl Quota for Free {
    const BYTES: u64 = 10 << 20;
}

provisions!(Kv);

binds!(Kv, Free = LogDrain);

updates!(Kv, Free);

changes!(Kv, Free => Pro);

#[broker]
pub struct Broker(Kv);

fn main() {
    println!("{} {}", Free::BYTES, <Free as Plan>::SPEC.id);
    println!("{}", <Broker as osb_runtime::service::Broker>::CATALOG_JSON);
}
