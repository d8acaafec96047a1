//! Values that are half typed, or have another form.

use osb_runtime::prelude::*;

/// An example.
pub const EXAMPLE: u32 = 5;

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

fn main() {}
