//! Parameters that a plan uses have a mistake that const evaluation finds: only one error about each.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Narrow, Backwards, Nested, Again, Fixed))]
pub struct Kv;

provisions!(Kv);
updates!(Kv, Backwards, Nested, Again, Fixed);

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "narrow", create = NewStore, narrow(ttl(max = 60)))]
pub struct Narrow;

// Mistake: A plan narrows a property whose default its type refuses already.
/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(default = -1)]
    pub ttl: u32,
}

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "backwards", create = NewQueue, update = QueueChanges)]
pub struct Backwards;

// Mistake: No value has the length of a parameter, and a plan uses the update: only one error.
/// A new queue.
#[parameters(partial = QueueChanges)]
pub struct NewQueue {
    /// Addresses that get an alarm.
    #[param(length(min = 5, max = 3))]
    pub alarms: Vec<String>,
}

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "nested", create = NewMail, update = MailChanges)]
pub struct Nested;

/// Another plan with the same parameters.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "again", create = NewMail, update = MailChanges)]
pub struct Again;

// Mistake: A nested type has no partial type, and a plan uses the update: only one error.
/// New mail.
#[parameters(partial = MailChanges)]
pub struct NewMail {
    /// Retries.
    pub retry: Option<Retry>,
}

/// Retries.
#[parameters]
pub struct Retry {
    /// The number of retries.
    #[param(immutable)]
    pub times: u8,
}

// Mistake: Updates have parameters, but none can change.
/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "fixed", create = NewDisk, update = DiskChanges)]
pub struct Fixed;

/// The parameters of a new disk.
#[parameters(partial = DiskChanges)]
pub struct NewDisk {
    /// The place.
    #[param(immutable)]
    pub zone: String,
}
