//! A cost has an amount and a currency, each by its name.

use osb_runtime::prelude::*;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false, metadata(costs((amount = 9.90, currency = "usd", unit = "MONTHLY"))))]
pub struct Pro;

fn main() {}
