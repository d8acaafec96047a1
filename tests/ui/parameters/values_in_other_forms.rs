//! Values that are half typed, or have another form; texts that are names and not strings, or are in single quotes.

use osb_runtime::prelude::*;

/// An example.
pub const EXAMPLE: u32 = 5;

// Mistake: Values that are half typed, or have another form.
/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(alias = ["expiry", "lifetime"], example = EXAMPLE)]
    pub ttl: u32,
    /// Password of the store.
    #[param(secret; immutable)]
    pub password: String,
    /// Number of replicas.
    #[param(examples(1 2))]
    pub replicas: u8,
    /// Number of copies.
    #[param(example(1, 2))]
    pub copies: u8,
    /// Where the stores are.
    #[param(examples = ["eu,de", "us - east"])]
    pub place: String,
    /// Number of files.
    #[param(example(1))]
    pub files: u8,
    /// Number of zones.
    #[param(examples = [1, 2])]
    pub zones: u8,
    /// Settings of the store.
    #[param(default = { "sync": })]
    pub settings: serde_json::Value,
    /// Labels of the store.
    #[param(default = { "a" })]
    pub labels: serde_json::Value,
}

/// The parameters of a new binding.
#[parameters]
pub struct NewBinding {
    /// Number of connections.
    #[param(example = "five")]
    pub connections: u32,
}

// Mistake: Texts are names and not strings.
/// The parameters of a new store.
#[parameters(rename_all = camelCase)]
pub struct Texts {
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
