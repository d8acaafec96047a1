//! `bind` is `()` or in parentheses, `bindable` names a type, or the parameters are an `Option`.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Unit, Bracketed, Flag, Optional, Boxed, Rotated))]
pub struct Kv;

provisions!(Kv);

// Mistake: The parameters of bindings are `()`.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "unit", bind = ())]
pub struct Unit;

// Mistake: Parentheses instead of a type.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "bracketed", bind(NoParameters))]
pub struct Bracketed;

/// 5 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "rotated", bind(NewLogin), rotatable)]
pub struct Rotated;

// Mistake: `bindable` has the value of `bind`.
/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "flag", bindable = NewLogin, rotatable)]
pub struct Flag;

// Mistake: The parameters are an `Option`.
/// 100 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "optional", create = Option<NewLogin>)]
pub struct Optional;

/// 200 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "boxed", create = Box<NewLogin>)]
pub struct Boxed;

/// The parameters of a new login.
#[parameters]
pub struct NewLogin {
    /// A login that can only read.
    pub read_only: bool,
}

binds!(Kv, Unit = LogDrain);
