//! An enum has a mistake: no error about the default of a field of that type.

use osb_runtime::prelude::*;

/// The region.
#[parameters(rename_al = "lowercase")]
#[derive(Debug)]
pub enum Region {
    Eu,
    Us,
}

/// A new store.
#[parameters]
#[derive(Debug)]
pub struct New {
    #[param(default = "eu")]
    pub region: Region,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
