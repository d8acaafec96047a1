//! A field and a variant have attributes of other crates.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
#[derive(Debug, Clone)]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[arg(long, default_value_t = 60)]
    pub ttl: u32,
}

/// A region.
#[parameters]
#[derive(Debug, Clone)]
pub enum Region {
    /// Frankfurt.
    #[default]
    Eu,
}

fn main() {}
