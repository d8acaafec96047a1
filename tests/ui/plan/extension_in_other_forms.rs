//! Extension fields in braces, without quotes or value, as an argument, twice, or with a name of the specification.

use osb_runtime::prelude::*;

// Mistake: An extension field is written as an argument.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", extensions(region = "eu"))]
pub struct Argument;

// Mistake: An extension field has the name of a field of the specification.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", extensions("bindable": true))]
pub struct Known;

// Mistake: An extension field is given twice.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", extensions("acme:region": "eu", "acme:region": "us"))]
pub struct Twice;

// Mistake: An extension field without a value.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", extensions("acme:region"))]
pub struct Valueless;

// Mistake: The name of an extension has no quotes.
#[allow(deprecated)] // its name
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", extensions(region: "eu"))]
pub struct Unquoted;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "free", extensions(region: eu-west))]
pub struct UnquotedValue;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "free", extensions(acme:region: "eu"))]
pub struct UnquotedPrefix;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "free", extensions(acme-region = "eu"))]
pub struct UnquotedHyphen;

// Mistake: Extension fields are a string.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", extensions = "eu")]
pub struct Value;

// Mistake: The members are in braces.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", extensions({ "acme:region": "eu" }))]
pub struct Braces;

// Mistake: An extension field is among the arguments.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "free", "acme:region": "eu")]
pub struct Outside;

fn main() {}
