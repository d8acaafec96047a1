//! Durable record stores for brokers of [`osb_runtime`]: [`Redb`] keeps records in one file, and `Postgres` (feature `postgres`)
//! in a database that several processes share.
//!
//! ```
//! use osb_runtime::{lifecycle::Settings, store::Records};
//! use osb_store::Redb;
//!
//! # fn example() -> Result<(), osb_store::OpenError> {
//! let mut settings = Settings::default();
//! settings.store = Records::new(Redb::open("kv.redb", None)?);
//! # Ok(()) }
//! ```
//!
//! About the file:
//!
//! * **A response is sent only when its write is on disk.** Concurrent requests share a commit, so under load there is one
//!   commit for many requests.
//! * **The file belongs to one process at a time.** The next process that opens it takes over the running operations of the
//!   previous one at once, without waiting for leases to expire.
//! * **A full or failing disk** makes requests fail with 503, including deletions, and the log has the reason. Acknowledged writes
//!   stay, and the broker reopens the file as soon as it can be written. A file that was removed is not created again,
//!   because the new one would be empty: restore the file, or restart the broker.
//! * **With [`Keys`], records are sealed**, each together with its key in the file: parameters, credentials, contexts and the
//!   author's state. Without the key they are unreadable, and a sealed record can't be changed or moved to another key.
//!   Ids are not encrypted: a reader of the file sees those of tenants, instances, services, plans and keys, with their
//!   counts, and the time at which each record is due. A process that can write to the file can still remove records, and
//!   restore older versions of them. A file that was written without keys has to be sealed by [`reseal()`] first, because
//!   unsealed records could be forged.
//! * **Backups** are copies of the file while the broker is stopped. The keys are not in the file; keep them elsewhere.
//!
//! A release opens the files that older releases wrote, and refuses those of newer releases.

mod codec;
mod copied;
mod failpoint;
mod file;
mod inserted;
#[cfg(feature = "postgres")]
mod postgres;
mod seal;

pub use copied::{Copied, CopyError, Progress};
pub use file::{OpenError, Redb, reseal};
pub use inserted::InsertError;
#[cfg(feature = "postgres")]
pub use postgres::{ConnectError, Postgres};
pub use seal::{InvalidKeys, KeyId, Keys, SealError};
