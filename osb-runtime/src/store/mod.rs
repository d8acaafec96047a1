//! Where the state of a broker is: the records of its instances and bindings, and of what is being done to them.
//!
//! [`Records::in_memory`] ends with the process. `Records::open` (feature `redb`) keeps them in one file:
//!
//! * **Nothing is answered before it is on disk.** Requests that come at the same time share a write, so that under load
//!   there is one for many.
//! * **Whatever the process dies of, what was accepted goes on.** The file belongs to one process at a time. Whoever opens it
//!   next takes over at once what the one before was working on: with the same operation id, the next attempt number, and
//!   what its handler had saved by [`checkpoint`](crate::service::Work::checkpoint). A creation whose platform was still
//!   waiting for the answer is rolled back instead, as that has seen an error and will delete.
//! * **A disk that is full or fails** makes requests fail with 503, deletions too, and the log says why. What was answered
//!   stays, and the file is opened again by itself as soon as it can be written. One that is gone is not made again, as it
//!   would have no records; bring it back, or start the broker again.
//! * **With `Keys` records are sealed**, each with what it is stored under: parameters, credentials, contexts, the author's
//!   state. They are not readable without a key, and what was sealed can't be changed or put in the place of another
//!   record. What the file shows to everybody is ids: those of tenants and instances, and of services, plans and keys with
//!   how often there are; and when something is due. Somebody who can write to the file can still remove
//!   records, and put older versions of them back. A file of the time before there were keys has to be sealed by `reseal`
//!   first: records without a seal could be anybody's.
//! * **Backups** are copies of the file of a stopped broker. The keys are not in it; keep them elsewhere.
//!
//! A file that an older release has written is opened by all later ones; one of a newer release is refused.
//! [`service`](mod@crate::service) says what becomes of states and parameters when their types change.

#[cfg(feature = "redb")]
mod codec;
mod memory;
mod phase;
mod record;
mod records;
#[cfg(feature = "redb")]
mod redb;
#[cfg(test)]
mod samples;
#[cfg(feature = "redb")]
mod seal;
#[cfg(test)]
mod suite;
mod time;
mod uses;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

pub(crate) use memory::Memory;
pub use phase::Phase;
pub(crate) use record::{
    BindingRecord, Cancelled, Change, Claim, Ended, Failed, Fence, InstanceRecord, Key, Kind, Life, Operation, Place,
    Wish,
};
pub use records::Records;
#[cfg(feature = "redb")]
pub use redb::OpenError;
#[cfg(feature = "redb")]
pub use seal::{InvalidKeys, KeyId, Keys};
pub(crate) use time::Timestamp;
pub(crate) use uses::{Use, sum};

/// A decision about a record, which may be made again.
pub(crate) type Decision<'a> = &'a mut (dyn FnMut(&mut Option<InstanceRecord>) + Send);

/// A look at a record.
pub(crate) type Look<'a> = &'a mut (dyn FnMut(Option<&InstanceRecord>) + Send);

/// What a store does for the lifecycle. Each implementation passes the same tests.
///
/// An instance and its bindings are one record, read and written whole: whatever decides about one of them sees the
/// others. Decisions are functions from the record to an outcome, without side effects, so that a store can run them
/// again when another writer was faster.
pub(crate) trait Store: Send + Sync + 'static {
    /// Lets `decide` see and change a record, with no other decision about it in between. When the future ends well,
    /// what was decided is durable.
    fn transact<'a>(&'a self, key: &'a Key, decide: Decision<'a>) -> Pending<'a, ()>;

    /// Lets `look` see a record.
    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()>;

    /// What was due by `now`, the earliest first and from behind `after` on: a lease has ended, or a tombstone may go.
    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, most: usize) -> Pending<'a, Vec<Due>>;

    /// The plans that live records are of, as [`InstanceRecord::uses`] tells them, each once. Asked for at start.
    fn uses(&self) -> Pending<'_, Vec<Use>>;

    /// Whether whoever has worked on the records before is dead: true once, for the first to ask, where only one process
    /// can have them.
    fn is_inherited(&self) -> bool;

    /// Lets go of what the records are in. Nothing can be asked of them any more.
    fn close(&self) -> Pending<'_, ()>;
}

/// A record that somebody has to look at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due {
    pub(crate) at: Timestamp,
    pub(crate) key: Key,
}

/// The work of a store.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A store could not do what it was asked, for a reason that only an operator can do something about.
#[derive(Debug, Clone)]
pub(crate) struct StoreError(Arc<dyn std::error::Error + Send + Sync>);

impl StoreError {
    pub(crate) fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into().into())
    }

    /// A store that says all is well, and never let anybody decide.
    pub(crate) fn undecided() -> Self {
        Self::new("it asked for no decision")
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
