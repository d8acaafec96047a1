//! Arguments are misspelt, without names, commas or quotes, or missing.

use osb_runtime::prelude::*;

include!("../handlers.rs");

plans!(Free, Free3, Free4, Free5, Free6, Pro6, Free7);

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), instance_retrievable)]
pub struct Misspelt;

/// A store.
#[service("kv")]
pub struct Nameless;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv" plans(Free3))]
pub struct Commaless;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv"; plans(Free4))]
pub struct Semicolon;

/// A store.
#[service(name = "kv", plans(Free5))]
pub struct Idless;

/// A store.
#[service(id = 3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06, name = "kv", plans(Free6, Pro6), changes(Free6 => Pro6))]
pub struct Unquoted;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", nmae = "kv", plans(Free7))]
pub struct Name;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "kv", plans())]
pub struct Empty;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "kv")]
pub struct Planless;

fn main() {}
