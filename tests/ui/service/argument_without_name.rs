//! The name of a service stands without `name =`.

use osb_runtime::prelude::*;

/// A store.
#[service("kv")]
pub struct Kv;

fn main() {}
