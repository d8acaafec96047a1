//! `maintenance_info` is no list, lacks the version, or has other fields, which Cloud Foundry refuses.

use osb_runtime::prelude::*;

// Mistake: The version is in place of the list.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", maintenance_info = "1.0.0")]
pub struct Text;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", maintenance_info("1.0.0"))]
pub struct Nameless;

// Mistake: `maintenance_info` has an extension field, which Cloud Foundry refuses.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", maintenance_info(version = "1.0.0", "acme:severity": "low"))]
pub struct Extended;

// Mistake: `maintenance_info` has a key that Cloud Foundry refuses.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", maintenance_info(version = "1.0.0", severity = "low"))]
pub struct Severe;

// Mistake: A description of the maintenance without a version.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", maintenance_info(description = "A restart."))]
pub struct Versionless;

// Mistake: The version and the description of the maintenance have no names.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", maintenance_info("1.0.0", "A restart."))]
pub struct InOrder;

fn main() {}
