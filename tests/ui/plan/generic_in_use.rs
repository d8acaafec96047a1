//! Plans have generic parameters, and are used with and without arguments.

#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro<u8>, Storage, Tiny, Copied, Slots, Conditional), changes(Free => Pro<u8>))]
pub struct Kv;

// Mistake: A plan has a type parameter, and is used with and without arguments.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free<T>(T);

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro")]
pub struct Pro<T: Copy>(T);

// Mistake: A plan has a generic parameter with a default.
/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "storage")]
pub struct Storage<const GB: u32 = 10>;

// Mistake: A plan has a lifetime.
/// 100 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "borrowed")]
pub struct Borrowed<'a>(&'a str);

// Mistake: A plan has a type parameter that nothing uses.
/// 1 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "tiny")]
pub struct Tiny<T>;

// Mistake: A plan has a type parameter with a bound, and is used without an argument.
/// 5 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "copied")]
pub struct Copied<T: Copy + Send + 'static>(T);

// Mistake: A plan has a type parameter with a condition.
/// 2 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "conditional")]
pub struct Conditional<T>(T)
where
    T: core::str::FromStr;

// Mistake: A plan has a constant as parameter, and is used without an argument.
/// 3 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "slots")]
pub struct Slots<const COUNT: u32>;

// Mistake: A plan has a lifetime and a type parameter.
/// 4 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "mixed")]
pub struct Mixed<'a, T: Copy>(&'a T);

/// Uses plans without arguments.
pub fn uses(_: Conditional) {}

provisions!(Kv);
changes!(Kv, Free => Pro<u8>);

/// The broker.
#[broker]
pub struct Broker(Kv);
