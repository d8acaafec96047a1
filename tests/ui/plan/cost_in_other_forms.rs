//! Costs in braces or as JSON, with words for amounts, or without amount or unit.

use osb_runtime::prelude::*;

// Mistake: A cost is written like a struct.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false, metadata(costs({ usd: 9.90, unit: "MONTHLY" })))]
pub struct Braces;

// Mistake: The amount of a cost is a word.
/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "free",
    free = false,
    metadata(costs((usd = "cheap", unit = "MONTHLY")))
)]
pub struct Words;

// Mistake: An amount is a string.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", free = false, metadata(costs((usd = "9.90", unit = "MONTHLY"))))]
pub struct Quoted;

// Mistake: A cost is negative.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "pro", free = false, metadata(costs((usd = -9.90, unit = "MONTHLY"))))]
pub struct Negative;

// Mistake: A cost says `amount` instead of a currency.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "pro", free = false, metadata(costs((amount = 9.90, unit = "MONTHLY"))))]
pub struct Amount;

// Mistake: A cost has an amount and a currency, each by its name.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "pro", free = false, metadata(costs((amount = 9.90, currency = "usd", unit = "MONTHLY"))))]
pub struct Currency;

// Mistake: The unit of a cost is blank.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", free = false, metadata(costs((usd = 9.90, unit = ""))))]
pub struct Blank;

// Mistake: The unit of a cost is misspelt.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "pro", free = false, metadata(costs((usd = 9.90, units = "MONTHLY"))))]
pub struct Misspelt;

// Mistake: A cost has two units.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "pro", free = false, metadata(costs((usd = 9.90, unit = "MONTHLY", unit = "YEARLY"))))]
pub struct Twice;

// Mistake: An amount has a comma in place of the point.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "free", free = false, metadata(costs((eur = 19,90, unit = "MONTHLY"))))]
pub struct Comma;

// Mistake: A cost is written as JSON.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "free", free = false, metadata(costs(("usd": 9.90, unit = "MONTHLY"))))]
pub struct Json;

// Mistake: A cost has no amount.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "free", free = false, metadata(costs((unit = "MONTHLY"))))]
pub struct Free;

// Mistake: A cost in the list has no parentheses.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "free", free = false, metadata(costs(usd = 9.90, unit = "MONTHLY")))]
pub struct Bare;

// Mistake: A cost has no unit.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a14", name = "free", free = false, metadata(costs((usd = 9.90))))]
pub struct Endless;

// Mistake: Costs are a number.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a15", name = "free", free = false, metadata(costs = 9.90))]
pub struct Number;

// Mistake: A cost has two amounts in one currency.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a16", name = "pro", free = false, metadata(costs((usd = 9.90, USD = 8.0, unit = "MONTHLY"))))]
pub struct Currencies;

// Mistake: The unit of a cost has another name.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a17", name = "pro", free = false, metadata(costs((usd = 9.90, period = "MONTHLY"))))]
pub struct Period;

// Mistake: A cost is in braces, with its arguments.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a18", name = "pro", free = false, metadata(costs({ usd = 9.90, unit = "MONTHLY" })))]
pub struct Struct;

// Mistake: A currency is in quotes, or a sign.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a19", name = "pro", free = false, metadata(costs(("usd" = 9.90, unit = "MONTHLY"), ("€" = 9.90, unit = "MONTHLY"))))]
pub struct Sign;

fn main() {}
