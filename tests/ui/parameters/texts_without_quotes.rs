//! Texts are names and not strings, or are in single quotes.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(rename_all = camelCase)]
pub struct NewStore {
    /// The owner.
    #[param(format = email)]
    pub owner: String,
    /// The label.
    #[param(rename = storeLabel)]
    pub label: String,
    /// The city.
    #[param(rename(storeCity))]
    pub city: String,
    /// The place.
    #[param(rename = names::PLACE)]
    pub place: String,
}

/// Treatment of old keys.
#[parameters(tag = kind)]
pub enum Eviction {
    /// Keeps them.
    Never,
}

/// The credentials.
#[credentials(type = redis)]
pub struct Access {
    /// The address.
    pub uri: String,
}

// Mistake: A text is in single quotes.
/// The credentials.
#[credentials(type = 'redis')]
pub struct QuotedAccess {
    /// The address.
    pub uri: String,
}

fn main() {}
