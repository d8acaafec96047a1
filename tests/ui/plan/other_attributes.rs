//! A plan has another attribute, the same one twice, a derive, or is an enum, and a service offers it: one error about each.

#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Parameters, Given, Param, Alone, Derived, Both, BothByPath, Service, Twice, Path, Enum))]
pub struct Kv;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "parameters", create = NewStore)]
pub struct Parameters;

// Mistake: The parameters of a plan are a plan themselves.
/// The parameters of a new store.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "new")]
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(default = 60)]
    pub ttl: u32,
}

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "given", create = PlanStore)]
pub struct Given;

// Mistake: Parameters are under `#[plan]`.
/// The parameters of a new store.
#[plan(partial = Changes)]
pub struct PlanStore {
    /// Seconds.
    #[param(range(min = 1))]
    pub ttl: u32,
}

// Mistake: `param` stands on a plan.
/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "param")]
#[param(default = 3)]
pub struct Param;

// Mistake: The type of the parameters stands alone among the arguments.
/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "alone", Options)]
pub struct Alone;

/// The parameters of a store.
#[parameters]
pub struct Options {
    /// Seconds until an entry expires.
    pub ttl: Option<u32>,
}

// Mistake: The plan is a derive.
/// A plan.
#[derive(Plan)]
pub struct Derived;

/// Plans with these parameters.
pub trait Quota: osb_runtime::service::Plan<Create = Options> {}
impl Quota for Derived {}

// Mistake: The plan is a derive, too.
/// A plan.
#[derive(Plan)]
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "both")]
pub struct Both;

/// A plan.
#[derive(Plan)]
#[osb_runtime::plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "both-by-path")]
pub struct BothByPath;

// Mistake: A plan under the attribute of a service.
/// A plan.
#[service(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "service", free = false)]
pub struct Service;

// Mistake: The attribute is there twice.
/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "twice")]
#[plan(name = "again", bindable)]
pub struct Twice;

// Mistake: The attribute stands on the item twice, once with a path.
/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "path")]
#[osb_runtime::plan(retired)]
pub struct Path;

// Mistake: The attribute is on an enum that a service offers: only one error.
/// A size.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "enum")]
pub enum Enum {
    /// 10 MB.
    Small,
}

provisions!(Kv);
