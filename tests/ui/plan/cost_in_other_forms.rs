//! Costs in braces or as JSON, with words for amounts, or without amount or unit.

use osb_runtime::prelude::*;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false, metadata(costs({ usd: 9.90, unit: "MONTHLY" })))]
pub struct Braces;

/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "free",
    free = false,
    metadata(costs((usd = "cheap", unit = "MONTHLY")))
)]
pub struct Words;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", free = false, metadata(costs((usd = "9.90", unit = "MONTHLY"))))]
pub struct Quoted;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "pro", free = false, metadata(costs((usd = -9.90, unit = "MONTHLY"))))]
pub struct Negative;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "pro", free = false, metadata(costs((amount = 9.90, unit = "MONTHLY"))))]
pub struct Amount;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "pro", free = false, metadata(costs((amount = 9.90, currency = "usd", unit = "MONTHLY"))))]
pub struct Currency;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", free = false, metadata(costs((usd = 9.90, unit = ""))))]
pub struct Blank;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "pro", free = false, metadata(costs((usd = 9.90, units = "MONTHLY"))))]
pub struct Misspelt;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "pro", free = false, metadata(costs((usd = 9.90, unit = "MONTHLY", unit = "YEARLY"))))]
pub struct Twice;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "free", free = false, metadata(costs((eur = 19,90, unit = "MONTHLY"))))]
pub struct Comma;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "free", free = false, metadata(costs(("usd": 9.90, unit = "MONTHLY"))))]
pub struct Json;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "free", free = false, metadata(costs((unit = "MONTHLY"))))]
pub struct Free;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "free", free = false, metadata(costs(usd = 9.90, unit = "MONTHLY")))]
pub struct Bare;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a14", name = "free", free = false, metadata(costs((usd = 9.90))))]
pub struct Endless;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a15", name = "free", free = false, metadata(costs = 9.90))]
pub struct Number;

fn main() {}
