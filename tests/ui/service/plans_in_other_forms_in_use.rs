//! Plans are an array, a tuple, in brackets, in quotes, after a semicolon or misspelt: no error about handlers and changes.

use osb_runtime::prelude::*;

include!("../handlers.rs");

plans!(Free, Pro, Free2, Pro2, Free3, Pro3, Free4, Pro4, Free5, Pro5, Free6, Pro6);

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans = [Free, Pro], changes(Free => Pro))]
pub struct Array;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans = (Free2, Pro2), changes(Free2 => Pro2))]
pub struct Tuple;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "kv", plans[Free3, Pro3], changes(Free3 => Pro3))]
pub struct Brackets;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plnas(Free4, Pro4), changes(Free4 => Pro4))]
pub struct Misspelt;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "kv", plans(Free5, "Pro5"), changes(Free5 => Pro5))]
pub struct Quoted;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "kv", plans(Free6; Pro6), changes(Free6 => Pro6))]
pub struct Semicolon;

provisions!(Array, Tuple, Brackets, Misspelt, Quoted, Semicolon);
changes!(Array, Free => Pro);
changes!(Tuple, Free2 => Pro2);
changes!(Brackets, Free3 => Pro3);
changes!(Misspelt, Free4 => Pro4);
changes!(Quoted, Free5 => Pro5);
changes!(Semicolon, Free6 => Pro6);

fn main() {}
