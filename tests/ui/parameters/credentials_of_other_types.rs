//! Credentials have types that own nothing, have no names or are no values of JSON.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub struct Access {
    // Mistake: Credentials have types that own nothing, or have no names.
    pub user: &'static str,
    pub ports: (u16, u16),
    pub file: std::path::PathBuf,
    // Mistake: An array in credentials is longer than those that serde reads.
    pub key: [u8; 64],
    // Mistake: The time until which credentials are valid is a `SystemTime`.
    pub until: std::time::SystemTime,
    // Mistake: A field of credentials is a `Result`.
    pub token: Result<String, String>,
}

fn main() {}
