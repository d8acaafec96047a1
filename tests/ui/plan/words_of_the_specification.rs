//! Words of the specification, or for what the platform does, in place of arguments.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable, binding_rotatable)]
pub struct Rotatable;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", schemas("service_instance": {}))]
pub struct Schemas;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", tags("small"))]
pub struct Tags;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", hidden)]
pub struct Hidden;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", public = false, active = false)]
pub struct Visible;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", paid, metadata(costs((usd = 9.90, unit = "MONTHLY"))))]
pub struct Paid;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", plan_updateable = true)]
pub struct Updatable;

fn main() {}
