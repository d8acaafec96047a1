//! Warning: ids are no GUIDs, zeros, or have to be escaped in URLs; names have to be quoted on a command line or say nothing.
#![deny(deprecated)]
use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Guidless, Zeros, Escaped, Space, Nothing, Dots, Dashed, Reserved, Family))]
pub struct Kv;

provisions!(Kv);

// Mistake: Warning: the id is not a GUID.
/// 10 MB, for trying things out.
#[plan(id = "free-plan", name = "guidless")]
pub struct Guidless;

// Mistake: Warning: the id is a placeholder.
/// 10 MB, for trying things out.
#[plan(id = "00000000-0000-0000-0000-000000000000", name = "zeros")]
pub struct Zeros;

// Mistake: Warning: the id has characters that a URL has to escape.
/// 10 MB, for trying things out.
#[plan(id = "plans/free", name = "escaped")]
pub struct Escaped;

// Mistake: Warning: users would have to quote the name on a command line.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "Free of charge")]
pub struct Space;

// Mistake: Warning: the name is made of punctuation, or begins with what a command line takes for an option.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "-")]
pub struct Nothing;

/// 500 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "..")]
pub struct Dots;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "-pro")]
pub struct Dashed;

// Mistake: Warning: the name belongs to a plan of SAP BTP.
/// 2 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "reference-instance")]
pub struct Reserved;

/// The size.
#[parameters]
pub struct Size {
    /// Storage in GB.
    pub gigabytes: u32,
}

// Mistake: Warning: the file of a deployment would have to quote the name of a family.
/// A family.
#[plan(name = "by size", family = Size)]
pub struct Family;
