//! Modes of operations are no list, in quotes, misspelt, or without names.

use osb_runtime::prelude::*;

// Mistake: A word instead of a list.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", asynchronous = always)]
pub struct Value;

// Mistake: A plan is asynchronous without a list of operations.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", asynchronous)]
pub struct Flag;

// Mistake: The list of asynchronous operations is empty.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", asynchronous())]
pub struct Empty;

// Mistake: The word is in quotes.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", asynchronous(instances = "always"))]
pub struct Quoted;

// Mistake: An operation is asynchronous `allways`.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", bindable, asynchronous(instances = always, bindings = allways))]
pub struct Misspelt;

// Mistake: A flag instead of one of two words.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", asynchronous(instances = true))]
pub struct True;

// Mistake: The default is given as an unknown word.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", asynchronous(instances = adaptive))]
pub struct Adaptive;

// Mistake: An unknown word instead of `always` or `never`.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "free", asynchronous(instances = slow))]
pub struct Unknown;

// Mistake: A kind of operations without `always` or `never`.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "free", asynchronous(instances))]
pub struct Wordless;

// Mistake: Modes have no names.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "free", asynchronous(always))]
pub struct Nameless;

// Mistake: The keyword `async` instead of the argument.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "free", async = true)]
pub struct Keyword;

// Mistake: The kind of asynchronous operations is misspelt.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "free", bindable, asynchronous(binding = always))]
pub struct Binding;

// Mistake: A single operation on instances is asynchronous.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "free", asynchronous(provision = always))]
pub struct Provisioned;

fn main() {}
