//! The catalog of the last release, kept in a file, so that the next one breaks nobody by accident.
//!
//! Platforms store a catalog, users write its names and parameters into scripts and manifests, and instances live on for
//! years. `catalog.lock` has what all of them rely on; its author commits it. Every broker's program has the commands
//!
//! * `lock`, which writes the file: with each release, and whenever a change is meant that breaks somebody;
//! * `lock --check`, which fails with a list of what would break whom, where, and what to write instead. Additions pass.
//!
//! `#[broker(lock)]` makes a test of it, and [`assert_locked`] is that test by hand.
//!
//! # What is locked
//!
//! Ids and names of services and plans, retired ones included, and ids that there once were; prices, as free or not;
//! what can be bound, rotated, fetched, changed and updated; permissions that bindings need; waiting times, the version
//! of what runs, the schemas of all parameters, and which credentials there are, of which types. What is not locked can
//! be changed at any time: descriptions, metadata, costs and tags are for people, who read them anew each time, and a
//! platform takes a dashboard's client as it comes.
//!
//! # What breaks
//!
//! [`ChangeKind`] lists every kind of change. For parameters the question is whether everything that was valid for a create,
//! an update or a binding is still valid, and means the same: a changed default breaks instances that have not set it.
//! For credentials it is whether applications still find what they read. The answer errs on the safe side. Whether a
//! pattern matches all that another one did cannot be decided in general, so that any other pattern counts as tighter,
//! and types from elsewhere ([`Foreign`](osb_runtime::schema::Foreign)) have to be equal. Where the author knows better,
//! `lock` accepts it, and the difference shows in the review of the file.
//!
//! ```
//! use osb_runtime::{catalog::lock::{ChangeKind, Lock, Verdict}, prelude::*, service::Broker as _};
//! # /// A store.
//! # #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
//! # struct Kv;
//! # /// 10 MB, for trying things out.
//! # #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
//! # struct Free;
//! # impl Provision<Free> for Kv {
//! #     type State = ();
//! #     async fn provision(&self, _: New<Free>, _: &Work<()>) -> Result<Provisioned<()>, ProvisionError> { Ok(Provisioned::new(())) }
//! #     async fn deprovision(&self, _: Remains<Free, ()>, _: &Work<()>) -> Result<(), DeprovisionError> { Ok(()) }
//! # }
//! # #[broker]
//! # struct Broker(Kv);
//!
//! let before: Lock = r#"{ "version": 1, "services": [{
//!     "id": "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", "name": "kv",
//!     "plans": [{ "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", "name": "free", "free": true, "bindable": true }]
//! }] }"#.parse()?;
//! let differences = before.compare(&Lock::of(Broker::OFFERINGS));
//! let broken: Vec<_> = differences.of(Verdict::Breaking).map(|one| one.change).collect();
//! assert_eq!(broken, [ChangeKind::BindabilityWithdrawn]);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod change;
mod compare;
mod credentials;
mod difference;
mod file;
mod parameters;
mod plan;
mod take;
mod tree;

use std::{env, path::Path};

pub use change::{ChangeKind, Verdict};
pub use difference::{Difference, Differences};
pub use file::LockError;
pub use tree::Lock;

use osb_runtime::service::Broker;

/// Of the format of the file; one that can't be read by this release gets a higher one.
const VERSION: u64 = 1;

/// Fails if the catalog of `B` would break somebody who relies on the one in the file, with the list of what would break
/// whom; or if the file is not there. The path is taken from the directory of the crate's `Cargo.toml`.
///
/// `#[broker(lock)]` writes a test that calls it.
///
/// ```no_run
/// # use osb_docs::lock::assert_locked;
/// # use osb_runtime::service::Broker;
/// # fn the_catalog_breaks_nobody<Kv: Broker>() {
/// assert_locked::<Kv>("catalog.lock");
/// # }
/// ```
///
/// # Panics
///
/// If something would break, or the file can't be used.
#[track_caller]
pub fn assert_locked<B: Broker>(path: impl AsRef<Path>) {
    // Cargo sets them for tests.
    let path =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| path.as_ref().into(), |dir| Path::new(&dir).join(&path));
    let package = env::var("CARGO_PKG_NAME").map(|name| format!(" -p {name}")).unwrap_or_default();
    let write = format!("cargo run{package} -- lock --out {}", path.display());
    match Lock::read(&path) {
        Err(error) => panic!("{}", error.with_help(&write)),
        Ok(before) => {
            let differences = before.compare(&Lock::of(B::OFFERINGS));
            assert!(
                !differences.breaks(),
                "the catalog breaks somebody who relies on the one in {}\n\n{differences}\n  help: if all of that is meant, \
                 `{write}` accepts it",
                path.display()
            );
        }
    }
}
