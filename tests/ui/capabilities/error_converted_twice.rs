//! An error type that implements `std::error::Error` is converted into a handler's error.

use osb_runtime::prelude::*;

#[derive(Debug)]
struct Full;

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the disk is full")
    }
}

impl std::error::Error for Full {}

impl From<Full> for Failure {
    fn from(error: Full) -> Self {
        Failure::refused(error.to_string())
    }
}

fn main() {}
