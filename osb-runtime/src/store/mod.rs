//! The state of a broker: the records of its instances and bindings, and of the operations on them.
//!
//! [`Records::in_memory`] lasts as long as the process. The crate `osb-store` keeps records in one file, or on PostgreSQL. A
//! [`Store`] of another kind needs some 200 lines: to it, a [`Record`] is bytes and a few columns, and `osb-testing` has the
//! test suite that every store passes.
//!
//! Every store has these guarantees:
//!
//! * **A response is sent only when the state it reports is durable.**
//! * **Accepted operations survive the process.** The next process with the same records takes over the running operations
//!   of the previous one: with the same operation id, the next attempt number and the last
//!   [checkpoint](crate::service::Operation::checkpoint). A create whose platform was still waiting for the response is rolled
//!   back instead, because that platform has seen an error and will delete the instance.
//! * **A store that fails** makes requests fail with 503, including deletions, and the log has the reason.
//!
//! [`service`](mod@crate::service) describes how states and parameters are read when their types have changed.

mod codec;
mod key;
mod memory;
mod operation;
mod pages;
mod phase;
mod record;
mod records;
#[cfg(test)]
#[path = "../../tests/unit/records.rs"]
mod samples;
mod time;
mod usage;
mod version_1;
mod view;

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

pub use codec::RecordError;
pub use key::Key;
pub use memory::Memory;
pub(crate) use operation::{
    Cancelled, Claim, ClaimStatus, Earlier, Ended, OperationKind, OperationRecord, OperationState, PlannedUpdate,
    StoredFailure, UpdateKey,
};
pub use pages::{Page, Pages};
pub use phase::Phase;
pub use record::Record;
pub(crate) use record::{BindingRecord, InstanceRecord, Tombstone};
pub use records::Records;
pub use time::Timestamp;
pub use usage::PlanUsage;
pub use version_1::read_version_1;
pub use view::{LastOperation, StoredBinding, StoredInstance};

/// A function that inspects and changes records, in the order of the keys of [`Store::transact`]. A store may call it more than
/// once, each time with the records as they are stored.
pub type Decision<'a> = &'a mut (dyn FnMut(&mut [Option<Record>]) + Send);

/// A function that reads a record.
pub type Look<'a> = &'a mut (dyn FnMut(Option<&Record>) + Send);

/// A store of records. `osb_testing::store::suite` is the test suite that each implementation passes.
///
/// An instance is a record, and so is each of its bindings. A decision has no side effects besides changing records, so
/// that a store with optimistic transactions can run it again after a conflict.
///
/// [`Key::to_bytes`] and [`Record::write`] encode what is stored. Ids have up to 1,024 bytes; times are unsigned 64-bit numbers up to
/// [`Timestamp::MAX`]. The size of a record has no limit: it contains the parameters of the user, and the state and the credentials
/// of the author.
pub trait Store: Send + Sync + 'static {
    /// Lets `decide` see and change the records with these keys. No other decision about one of them happens in between, even if
    /// `decide` only reads that record, unless the record does not exist. The keys differ, and are of one instance and its bindings.
    /// When the future succeeds, all changes are durable. If `decide` panics, a durable store changes nothing; the store in memory
    /// may keep changes made before the panic.
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()>;

    /// Calls `look` with a record, or with `None` if there is none. When the future succeeds, `look` has been called.
    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()>;

    /// Lists the records with a [`due`](Record::due) time up to `now`, the earliest first, starting after `after`: `limit` of them,
    /// or all if there are fewer. The record of `after` may have changed since, or no longer exist, as for [`list`](Self::list).
    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, limit: usize) -> Pending<'a, Vec<Due>>;

    /// Lists at most `limit` records, tombstones included, in the order of their keys, starting after `after`. A single record that
    /// can't be read, for example because its encryption key is unknown, is an error in its place.
    fn list<'a>(&'a self, after: Option<&'a Key>, limit: usize) -> Pending<'a, Vec<(Key, Result<Record, StoreError>)>>;

    /// Counts the plans in use, as [`Record::plan_usage`] lists them, each plan once and in the order of [`PlanUsage::sum`].
    fn plan_usage(&self) -> Pending<'_, Vec<PlanUsage>>;

    /// Removes tombstones whose [`forget_at`](Record::forget_at) is `now` or earlier. The engine calls it every few seconds;
    /// a store with many tombstones may need several calls to remove all of them.
    fn forget(&self, now: Timestamp) -> Pending<'_, ()>;

    /// Returns true if operations can be taken over without waiting for their leases to expire, because the process that held the
    /// claims has ended. That is known only in a store that one process at a time can open, and only the first call returns true.
    fn take_recovery(&self) -> bool {
        false
    }

    /// Returns whether records are encrypted. Default: false.
    fn is_sealed(&self) -> bool {
        false
    }

    /// Returns the time of a clock that all processes with this store share, such as the database's. Leases are times of this
    /// clock, and no binding expires before its time by it. `None`, the default, stands for the clock of the process.
    fn now(&self) -> Option<Timestamp> {
        None
    }

    /// Completes when another process may have changed a record since this call. Requests that wait for an operation of
    /// another process read its record then. The default completes after a quarter of a second.
    fn changed<'a>(&'a self, _: &'a Key) -> Wake<'a> {
        Box::pin(tokio::time::sleep(Duration::from_millis(250)))
    }

    /// Completes once for each time that another process has handed over operations, which [`due`](Self::due) then lists: it has
    /// set the [lease](Record::lease) of a record to an earlier time. The engine then looks for them, as it does every few seconds
    /// anyway. The default never completes.
    fn handed_over(&self) -> Wake<'_> {
        Box::pin(std::future::pending())
    }

    /// Completes when another process may have cancelled the operation of a record since this call. Its worker then renews the lease,
    /// which shows it, and otherwise only when that is due. The default never completes.
    fn cancelled<'a>(&'a self, _: &'a Key) -> Wake<'a> {
        Box::pin(std::future::pending())
    }

    /// Writes pending changes and closes the store, so that another process can open it. Everything after that fails. The default
    /// does nothing, for a store that other processes need not wait for. It may run on another Tokio runtime than earlier calls;
    /// that runtime needs the time and I/O drivers.
    fn close(&self) -> Pending<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A record that the engine has to look at, and when: it has a running operation, or a binding that expires.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// The value of [`Record::due`].
    pub at: Timestamp,
    /// The key of the record.
    pub key: Key,
}

/// The future of a store's method.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A future that completes when records may have changed.
pub type Wake<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The error of reading or writing records. Its message is for the operator.
#[derive(Debug, Clone)]
pub struct StoreError(Arc<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// Wraps the reason.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into().into())
    }

    /// The error of a store that reported success without calling `decide` or `look`.
    pub(crate) fn not_called() -> Self {
        Self::new("it reported success without calling `decide` or `look`")
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store failed: {}", self.0)
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
