//! Arguments about bindings in a plan that is not bindable.

use osb_runtime::prelude::*;

// Mistake: A plan that is not bindable has asynchronous bindings.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", asynchronous(bindings = never))]
pub struct Asynchronous;

// Mistake: A plan that is not bindable has `requires_app`.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", requires_app)]
pub struct RequiresApp;

// Mistake: A plan that is not bindable is `rotatable`.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", rotatable)]
pub struct Rotatable;

// Mistake: A plan with parameters for bindings is `bindable = false`.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", bind = NoParameters, bindable = false)]
pub struct Contradiction;

fn main() {}
