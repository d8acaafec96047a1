//! An example is not in the format.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(format = "date-time", example = "2030-02-30T12:00:00Z")]
    pub until: Option<String>,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
