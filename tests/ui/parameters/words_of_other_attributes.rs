//! Words that belong elsewhere, or have another name, and attributes of other crates.

use osb_runtime::prelude::*;

// Mistake: Words that belong elsewhere, or have another name, and attributes of other crates.
/// The parameters of a new store.
#[parameters(derive(Clone), patch = Changes, closed, flatten, id = "new-store")]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[cfg_attr(unix, serde(default))]
    pub ttl: u32,
    /// Region of the store.
    #[param(type = "string")]
    pub region: Region,
}

/// A region.
#[parameters]
pub enum Region {
    /// Frankfurt.
    #[value(name = "eu")]
    Eu,
}

/// The credentials of a binding.
#[credentials(secret, public)]
pub struct Access {
    /// Users.
    #[param(unique, items(length(max = 5)), multiple_of = 5)]
    pub users: Vec<String>,
}

// Mistake: A field and a variant have attributes of other crates.
/// The parameters of a new store.
#[parameters]
#[derive(Debug, Clone)]
pub struct NewQueue {
    /// Seconds after which a key expires.
    #[arg(long, default_value_t = 60)]
    pub ttl: u32,
}

/// A region.
#[parameters]
#[derive(Debug, Clone)]
pub enum Place {
    /// Frankfurt.
    #[default]
    Eu,
}

fn main() {}
