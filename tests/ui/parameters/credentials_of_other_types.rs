//! Credentials have types that own nothing, have no names or are no values of JSON.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub struct Access {
    pub user: &'static str,
    pub ports: (u16, u16),
    pub file: std::path::PathBuf,
    pub key: [u8; 64],
    pub until: std::time::SystemTime,
}

fn main() {}
