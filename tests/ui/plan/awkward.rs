//! Warning: prices, durations, texts, extension fields or updates are awkward for platforms or users.

#![deny(deprecated)]

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Currency, Prices, Extended, Milliseconds, Short, Synchronous, Described, Bullet, Maintained, Required, Costs))]
pub struct Kv;

provisions!(Kv);
updates!(Kv, Maintained, Required);

// Mistake: Warning: a currency is a word.
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "currency", free = false, metadata(costs((euro = 19.9, unit = "MONTHLY"), (us1 = 0.1, unit = "HOURLY"))))]
pub struct Currency;

// Mistake: Two prices for the same unit.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "prices", free = false, metadata(costs((eur = 0.12, unit = "HOURLY"), (usd = 0.14, EUR = 10, unit = "HOURLY"))))]
pub struct Prices;

// Mistake: Warning: the name of an extension field has no prefix.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "extended", extensions("region": "eu"))]
pub struct Extended;

// Mistake: A duration in milliseconds.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "milliseconds", maximum_polling_duration = 7_200_000)]
pub struct Milliseconds;

// Mistake: Warning: a polling duration is less than a minute.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "short", maximum_polling_duration = "30s")]
pub struct Short;

// Mistake: Warning: a plan that is never asynchronous has a polling duration.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "synchronous", asynchronous(instances = never), maximum_polling_duration = 3600)]
pub struct Synchronous;

// Mistake: Warning: the description has more than 255 characters.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "described", description = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")]
pub struct Described;

// Mistake: Warning: a bullet has more than 255 characters.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "bullet", metadata(bullets("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")))]
pub struct Bullet;

// Mistake: Warning: the description of the maintenance has more than 255 characters.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "maintained", maintenance_info(version = "1.0.0", description = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"))]
pub struct Maintained;

// Mistake: Warning: an update has a required parameter, which every update would have to send.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "required", create = store::NewStore, update = store::NewStore)]
pub struct Required;

// Mistake: A plan has costs but is free by default.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "costs", metadata(costs((usd = 9.90, unit = "MONTHLY"))))]
pub struct Costs;

/// The parameters.
pub mod store {
    use super::*;

    /// The parameters of a new store.
    #[parameters]
    pub struct NewStore {
        /// Seconds after which a key expires.
        pub ttl: u32,
    }
}
