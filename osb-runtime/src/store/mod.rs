//! Where records live.
//!
//! An instance and its bindings are one record, read and written whole: whatever decides about one of them sees the
//! others. Decisions are functions from the record to an outcome, without side effects, so that a store can run them
//! again when another writer was faster.

mod memory;
mod phase;
mod record;
#[cfg_attr(not(test), expect(dead_code, reason = "the stores that last are going to use it"))]
mod seal;
mod time;

use std::{fmt, future::Future, pin::Pin};

pub(crate) use memory::Memory;
pub use phase::Phase;
pub(crate) use record::{
    BindingRecord, Cancelled, Change, Claim, Ended, Failed, Fence, InstanceRecord, Key, Kind, Life, Operation, Place,
    Wish,
};
pub use seal::{InvalidKeys, Keys};
pub(crate) use time::Timestamp;

/// A decision about a record, which may be made again.
pub(crate) type Decision<'a> = &'a mut (dyn FnMut(&mut Option<InstanceRecord>) + Send);

/// A look at a record.
pub(crate) type Look<'a> = &'a mut (dyn FnMut(Option<&InstanceRecord>) + Send);

/// What a store does for the lifecycle. Each implementation passes the same tests.
pub(crate) trait Store: Send + Sync + 'static {
    /// Lets `decide` see and change a record, with no other decision about it in between. When the future ends well,
    /// what was decided is durable.
    fn transact<'a>(&'a self, key: &'a Key, decide: Decision<'a>) -> Pending<'a, ()>;

    /// Lets `look` see a record.
    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()>;

    /// The records in which something was due by `now`, the earliest first: a lease has ended, or a tombstone may go.
    fn due(&self, now: Timestamp, most: usize) -> Pending<'_, Vec<Key>>;
}

/// The work of a store.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A store could not do what it was asked, for a reason that only an operator can do something about.
#[derive(Debug)]
pub(crate) struct StoreError(Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// A store that says all is well, and never let anybody decide.
    pub(crate) fn undecided() -> Self {
        Self("it asked for no decision".into())
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
