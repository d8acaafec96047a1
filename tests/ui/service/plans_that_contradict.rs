//! Plans have the same name, ids that differ only in case, are all retired, or have bindings that can't be requested or fetched.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: Two plans of a service have the same name.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", free = false)]
pub struct Pro;

// Mistake: The ids of two plans differ only in case.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small, Large))]
pub struct Queue;

/// 100 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct Small;

/// 10,000 messages.
#[plan(id = "8A4A2B58-54A5-4A3C-9E0A-6B1C4F6F5A02", name = "large", free = false)]
pub struct Large;

// Mistake: A service has only retired plans.
/// Mail.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "mail", plans(old::Old))]
pub struct Mail;

/// A retired plan.
pub mod old {
    use super::*;

    /// 5 MB, no longer offered.
    #[plan(id = "8a4a2b52-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "old", retired)]
    pub struct Old;
}

// Mistake: Two families have the same name.
/// Databases.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "db", plans(One, Cluster))]
pub struct Databases;

/// A database of a size that the operator offers.
#[plan(family = Size, name = "sized")]
pub struct One;

/// A cluster.
#[plan(family = Size, name = "sized")]
pub struct Cluster;

/// The size of a database.
#[parameters]
pub struct Size {
    /// Storage in GB.
    pub gigabytes: u32,
}

// Mistake: Bindings are always asynchronous, and cannot be fetched.
/// Files.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "files", plans(Disk), bindings_retrievable = false)]
pub struct Files;

/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "disk", bindable, asynchronous(bindings = always))]
pub struct Disk;

// Mistake: Routes are bound, and `requires_app` refuses bindings without an application.
/// A filter.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "filter", plans(Fast))]
pub struct Filter;

/// 10 routes.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "fast", bindable, requires_app)]
pub struct Fast;

provisions!(Kv, Queue, Mail, Databases, Files, Filter);
binds!(Files, Disk = LogDrain);
binds!(Filter, Fast = RouteService);
