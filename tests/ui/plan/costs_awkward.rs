//! Warning: a currency is a word, or two prices are for the same unit.
#![deny(deprecated)]
use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

// Mistake: Warning: a currency is a word.
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", free = false, metadata(costs((euro = 19.9, unit = "MONTHLY"))))]
pub struct Free;

// Mistake: Two prices for the same unit.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", free = false, metadata(costs((eur = 0.12, unit = "HOURLY"), (usd = 0.14, EUR = 10, unit = "HOURLY"))))]
pub struct Pro;

provisions!(Kv);

fn main() {}
