//! Two releases of a broker; the second has breaking changes.

use std::{fs, panic, path::Path};

use osb_docs::lock::Lock;
use osb_runtime::prelude::*;
use osb_testing::assert_locked;

const LOCK: &str = "golden/notes.lock";

/// The first release, with every property that a lock records.
mod first {
    use super::*;

    /// Where notes are kept.
    #[service(
        id = "5b1d6a52-6f1e-4e0c-8a35-0c4f0f3f7a01",
        name = "notes",
        plans(Small, Large, Old),
        changes(Small => Large),
        allow_context_updates
    )]
    pub(super) struct Notes;

    /// A few.
    #[plan(
        id = "5b1d6a52-6f1e-4e0c-8a35-0c4f0f3f7a02",
        name = "small",
        create = Book,
        update = BookChanges,
        asynchronous(instances = always),
        maximum_polling_duration = "2h",
        maintenance_info(version = "1.2.3")
    )]
    pub(super) struct Small;

    /// Many.
    #[plan(
        id = "5b1d6a52-6f1e-4e0c-8a35-0c4f0f3f7a03",
        name = "large",
        free = false,
        create = Book,
        bindable,
        rotatable,
        requires_app
    )]
    pub(super) struct Large;

    /// None any more.
    #[plan(id = "5b1d6a52-6f1e-4e0c-8a35-0c4f0f3f7a04", name = "old", retired)]
    pub(super) struct Old;

    /// A book of notes.
    #[parameters(partial = BookChanges)]
    pub(super) struct Book {
        /// The number of pages.
        #[param(range(min = 1, max = 100), multiple_of = 2, default = 10)]
        pages: u16,
        /// Written on the cover.
        #[param(length(min = 1, max = 40), pattern = "^[A-Z]", alias = "name")]
        title: Option<String>,
        /// Where it is.
        #[param(immutable)]
        place: Place,
        /// Its topics.
        #[param(length(max = 5), unique, items(length(max = 10)), default = [])]
        topics: Vec<String>,
        /// The key of its lock.
        #[param(secret)]
        key: Option<String>,
        /// The weight per page.
        #[param(range(exclusive_min = 0, max = 1.5))]
        weight: Option<f64>,
        /// Marks, by page.
        marks: Option<std::collections::BTreeMap<String, Mark>>,
    }

    /// Where a book is.
    #[parameters(rename_all = "lowercase")]
    pub(super) enum Place {
        /// On a shelf.
        Shelf,
        /// On a table.
        Table,
    }

    /// A mark on a page.
    #[parameters(tag = "kind", rename_all = "lowercase", open)]
    pub(super) enum Mark {
        /// A colour.
        Colour {
            /// Its name.
            name: String,
        },
        /// A fold.
        Fold,
    }

    /// The keys of a book, whose uses are logged.
    #[credentials]
    pub(super) struct Keys {
        /// One for each book.
        keys: Vec<String>,
        /// Which shelf they hang on.
        shelf: Option<u8>,
    }

    fn keys() -> (Credentials<Keys>, LogDrain) {
        (
            Credentials(Keys { keys: Vec::new(), shelf: None }),
            LogDrain::from_static("syslog-tls://logs.example.com:6514"),
        )
    }

    osb_lab::provision_nothing!(Notes);
    osb_lab::bind_nothing!(Notes: Large => (Credentials<Keys>, LogDrain) = |_new| keys(););
    osb_lab::update_nothing!(Notes: Small);
    osb_lab::change_nothing!(Notes: Small => Large);

    #[broker(lock = "golden/notes.lock")]
    pub(super) struct Broker(Notes);
}

/// The second release.
mod second {
    use super::*;

    /// Where notes are kept.
    #[service(id = "5b1d6a52-6f1e-4e0c-8a35-0c4f0f3f7a01", name = "notes", plans(Large))]
    pub(super) struct Notes;

    /// Many.
    #[plan(id = "5b1d6a52-6f1e-4e0c-8a35-0c4f0f3f7a03", name = "large", free = false)]
    pub(super) struct Large;

    osb_lab::provision_nothing!(Notes);

    #[broker]
    pub(super) struct Broker(Notes);
}

/// Returns the message of a failing assertion.
fn said(assertion: impl Fn() + panic::UnwindSafe) -> String {
    let error = panic::catch_unwind(assertion).expect_err("it fails");
    error.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn the_lock_matches_the_golden_file() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(LOCK);
    let text = Lock::of(first::Broker::OFFERINGS).to_string();
    if std::env::var_os("OSB_UPDATE").is_some() {
        fs::write(file, text).expect("it can be written");
    } else {
        assert_eq!(fs::read_to_string(file).expect("the file is read"), text, "OSB_UPDATE=1 writes it anew");
    }
}

#[test]
fn a_breaking_release_fails_with_all_breaking_changes() {
    let said = said(|| assert_locked::<second::Broker>(LOCK));
    for line in [
        "* notes: updates of the context alone are no longer accepted",
        "* notes / small: the plan was removed",
        "* notes / large: instances can no longer be bound",
        "* notes / large / create /title: the property was removed",
        "    breaks users: parameters with it are refused, in scripts and manifests",
        "    instead: restore it, as `retired`, or `hidden` in a file of overrides, if it should no longer be offered",
        "  notes / old: the retired plan was removed; the broker does not start where instances of it still exist",
    ] {
        assert!(said.lines().any(|other| other == line), "{line}\n{said}");
    }
    assert!(said.contains("to accept all of them, run `cargo run -p osb-tests -- lock --file "), "{said}");
}

#[test]
fn a_missing_lock_names_the_command_that_writes_it() {
    let said = said(|| assert_locked::<first::Broker>("golden/no.lock"));
    assert!(said.contains(" does not exist") && said.contains("run `cargo run -p osb-tests -- lock --file "), "{said}");
}
