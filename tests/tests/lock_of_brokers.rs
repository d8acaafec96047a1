//! Two releases of a broker, the second of which forgets what the first has promised.

use std::{fs, panic, path::Path};

use osb_docs::lock::Lock;
use osb_runtime::prelude::*;
use osb_testing::assert_locked;

const LOCK: &str = "golden/notes.lock";

macro_rules! handlers {
    ($service:ty: $($plan:ty),* => $output:expr, $kind:ty) => {
        impl<P: Plan> Provision<P> for $service {
            type State = ();
            async fn provision(&self, _: New<P>, _: &Work) -> Result<Provisioned, ProvisionError> {
                Ok(Provisioned::new(()))
            }
            async fn deprovision(&self, _: Remains<P>, _: &Work) -> Result<(), DeprovisionError> {
                Ok(())
            }
        }
        $(impl Bind<$plan> for $service {
            type Output = $kind;
            type State = ();
            async fn bind(&self, _: NewBinding<$plan, ()>, _: &Work) -> Result<Bound<$kind>, BindError> {
                Ok(Bound::new($output))
            }
            async fn unbind(&self, _: BindingRemains<$plan, ()>, _: &Work) -> Result<(), UnbindError> {
                Ok(())
            }
        })*
    };
}

/// The first release, with everything that a lock holds.
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

    /// What a book of notes is.
    #[parameters(partial = BookChanges)]
    pub(super) struct Book {
        /// How many pages it has.
        #[param(range(min = 1, max = 100), multiple_of = 2, default = 10)]
        pages: u16,
        /// Written on the cover.
        #[param(length(min = 1, max = 40), pattern = "^[A-Z]", alias = "name")]
        title: Option<String>,
        /// Where it is.
        #[param(immutable)]
        place: Place,
        /// What it is about.
        #[param(length(max = 5), unique, items(length(max = 10)), default = [])]
        topics: Vec<String>,
        /// What opens it.
        #[param(secret)]
        key: Option<String>,
        /// How heavy it is, by page.
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

    /// What marks a page.
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

    /// What opens a book, and where it says who did.
    #[credentials]
    pub(super) struct Keys {
        /// One for each book.
        #[param(secret)]
        keys: Vec<String>,
        /// Which shelf they hang on.
        shelf: Option<u8>,
    }

    fn keys() -> (Credentials<Keys>, LogDrain) {
        let url = "syslog-tls://logs.example.com:6514".to_owned();
        (Credentials(Keys { keys: Vec::new(), shelf: None }), LogDrain { url })
    }

    handlers!(Notes: Large => keys(), (Credentials<Keys>, LogDrain));

    impl Update<Small> for Notes {
        async fn update(&self, _: PlanUpdate<Small, Small, ()>, _: &Work) -> Result<Updated<()>, UpdateError> {
            Ok(Updated::new(()))
        }
    }

    impl ChangePlan<Small, Large> for Notes {
        async fn change_plan(&self, _: PlanUpdate<Small, Large, ()>, _: &Work) -> Result<Updated<()>, UpdateError> {
            Ok(Updated::new(()))
        }
    }

    #[broker(lock = "golden/notes.lock")]
    pub(super) struct Broker(Notes);
}

/// The second one, in a hurry.
mod second {
    use super::*;

    /// Where notes are kept.
    #[service(id = "5b1d6a52-6f1e-4e0c-8a35-0c4f0f3f7a01", name = "notes", plans(Large))]
    pub(super) struct Notes;

    /// Many.
    #[plan(id = "5b1d6a52-6f1e-4e0c-8a35-0c4f0f3f7a03", name = "large", free = false)]
    pub(super) struct Large;

    handlers!(Notes: => (), ());

    #[broker]
    pub(super) struct Broker(Notes);
}

/// What an assertion says when it fails.
fn said(assertion: impl Fn() + panic::UnwindSafe) -> String {
    let error = panic::catch_unwind(assertion).expect_err("it fails");
    error.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn the_lock_has_everything_that_the_types_promise() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(LOCK);
    let text = Lock::of(first::Broker::OFFERINGS).to_string();
    if std::env::var_os("OSB_UPDATE").is_some() {
        fs::write(file, text).expect("it can be written");
    } else {
        assert_eq!(fs::read_to_string(file).expect("it is there"), text, "OSB_UPDATE=1 writes it anew");
    }
}

#[test]
fn a_release_that_breaks_somebody_fails_with_all_that_it_breaks() {
    let said = said(|| assert_locked::<second::Broker>(LOCK));
    for line in [
        "* notes: updates of nothing but the context are no longer taken",
        "* notes / small: the plan is gone",
        "* notes / large: instances can no longer be bound",
        "* notes / large / create /title: the property is gone",
        "    breaks users: parameters that have it are refused, in scripts and manifests",
        "    instead: bring it back, as `retired` if it is not to be sold",
        "  notes / old: the retired plan is gone; the broker does not start where there still are instances of it",
    ] {
        assert!(said.lines().any(|other| other == line), "{line}\n{said}");
    }
    assert!(said.contains("if all of that is meant, `cargo run -p osb-tests -- lock --out "), "{said}");
}

#[test]
fn a_missing_lock_is_said_with_what_writes_it() {
    let said = said(|| assert_locked::<first::Broker>("golden/no.lock"));
    assert!(said.contains("there is no ") && said.contains("run `cargo run -p osb-tests -- lock --out "), "{said}");
}
