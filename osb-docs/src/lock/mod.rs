//! The catalog lock: a file with the compatibility-relevant part of the last release's catalog, which reveals breaking
//! changes before the next release.
//!
//! Platforms store catalogs, users write names and parameters into scripts and manifests, and instances live for years.
//! `catalog.lock` records everything that they depend on; authors commit it to version control. Every broker program has the commands
//!
//! * `lock`, which writes the file: for each release, and to accept an intended breaking change;
//! * `lock --check`, which fails on breaking changes and lists each with its place, its impact and a compatible
//!   alternative. Additions pass.
//!
//! `#[broker(lock)]` generates a test that does the same; [`assert_locked`] is that test as a function.
//!
//! # Locked properties
//!
//! Ids and names of services and plans, including retired plans and ids of former releases; whether a plan is free;
//! whether it can be bound, rotated, fetched, updated, and changed to which plans; permissions that bindings require;
//! asynchronous operations and polling durations; maintenance versions; the schemas of all parameters; the names and
//! types of credentials; and the names of families and the schemas of their values, which the files of deployments use.
//! Everything else is not compared: descriptions, metadata and costs are for people, and platforms accept any change of a
//! dashboard client. Take care with tags, if applications find credentials by them.
//!
//! # Breaking changes
//!
//! [`ChangeKind`] lists every kind of change. Parameters are compatible if all values that were valid for a create, an
//! update or a binding are still valid and mean the same; a changed default breaks instances that rely on it. Credentials
//! are compatible if applications still find the fields that they read. In doubt a change counts as breaking: whether
//! a pattern matches everything that its predecessor matched is undecidable in general, so every changed pattern counts
//! as stricter, and foreign types ([`Foreign`](osb_runtime::schema::Foreign)) must be equal. Authors who know better accept the
//! change with `lock`, and reviewers see it in the diff of the file.
//!
//! ```
//! use osb_docs::lock::{ChangeKind, Lock, Verdict};
//! use osb_runtime::{prelude::*, service::Broker as _};
//! # /// A store.
//! # #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
//! # struct Kv;
//! # /// 10 MB, for trying things out.
//! # #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
//! # struct Free;
//! # impl Provision<Free> for Kv {
//! #     type State = ();
//! #     async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> { Ok(Provisioned::new(())) }
//! #     async fn deprovision(&self, _: DeprovisionRequest<Free, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> { Ok(()) }
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
mod difference;
mod file;
mod plan;
mod schema;
mod tree;

use std::{env, path::Path};

pub use change::{ChangeKind, Verdict};
pub use difference::{Difference, Differences};
pub use file::LockError;
pub use tree::Lock;

use osb_runtime::service::Broker;

/// The version of the file format; raised when older releases cannot read the new format.
const VERSION: u64 = 1;

/// Asserts that the catalog of `B` has no breaking change compared to the lock file. The path is relative to the
/// directory of the crate's `Cargo.toml`.
///
/// `#[broker(lock)]` generates a test that calls it.
///
/// ```no_run
/// # use osb_docs::lock::assert_locked;
/// # use osb_runtime::service::Broker;
/// # fn the_catalog_is_compatible<Kv: Broker>() {
/// assert_locked::<Kv>("catalog.lock");
/// # }
/// ```
///
/// # Panics
///
/// With the list of breaking changes if there are any, or if the file is missing or cannot be read.
#[track_caller]
pub fn assert_locked<B: Broker>(path: impl AsRef<Path>) {
    // Cargo sets these variables for tests.
    let path =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| path.as_ref().into(), |dir| Path::new(&dir).join(&path));
    let package = env::var("CARGO_PKG_NAME").map(|name| format!(" -p {name}")).unwrap_or_default();
    let write = format!("cargo run{package} -- lock --file {}", path.display());
    match Lock::read(&path) {
        Err(error) => panic!("{}", error.with_help(&write)),
        Ok(before) => {
            let differences = before.compare(&Lock::of(B::OFFERINGS));
            assert!(
                !differences.breaks(),
                "the catalog has breaking changes compared to {}\n\n{differences}\n  help: to accept all of them, run \
                 `{write}`",
                path.display()
            );
        }
    }
}
