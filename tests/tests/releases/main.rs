//! Records across releases of a broker: plans, parameters and states change from one release to the next.

mod names;
mod parameters;
mod plans;
mod state;
mod states_file;

use osb_lab::{
    prelude::*,
    releases::{
        first::{FirstBroker, Stores as FirstStores},
        ids::{BASIC, STORES},
        second::{SecondBroker, Stores as SecondStores},
    },
    wire::start,
};
use osb_runtime::{
    json::Json,
    lifecycle::admin::{Filter, RecordKind, View},
    service::Broker,
};
use osb_store::Redb;
use tokio::sync::Mutex;

/// Runs each test with both stores.
macro_rules! tests {
    ($($story:ident: $($name:ident)*;)*) => {
        tests!(in_memory $($($story $name)*)*);
        tests!(in_a_file $($($story $name)*)*);
    };
    ($place:ident $($story:ident $name:ident)*) => {
        mod $place {
            $(
                #[tokio::test]
                async fn $name() {
                    crate::$story::$name(crate::Kept::$place()).await;
                }
            )*
        }
    };
}

tests! {
    parameters:
        a_renamed_parameter_keeps_its_value
        an_old_name_is_accepted_but_not_with_the_new_one
        a_value_that_a_tighter_schema_refuses_works_until_the_next_update
        an_update_that_changes_nothing_keeps_removed_parameters
        a_parameter_that_became_required_can_be_set_by_an_update;
    plans:
        a_retired_plan_works_for_existing_instances
        an_unknown_plan_in_use_prevents_the_start
        an_unknown_service_in_use_prevents_the_start
        during_a_plan_change_both_plans_are_in_use;
    state:
        a_state_of_another_version_is_migrated
        states_and_parameters_that_no_longer_decode_prevent_the_start
        an_unreadable_state_fails_the_deletion_unless_the_handler_treats_it
        a_dropped_error_of_an_unreadable_state_is_no_success
        after_a_downgrade_nothing_is_forgotten
        an_operation_of_another_release_continues_from_its_checkpoint
        after_a_downgrade_an_operation_of_the_later_release_fails
        an_unreadable_checkpoint_is_not_taken_for_none;
}

/// Runs in memory only, because two running releases can't share a file.
#[tokio::test]
async fn a_binding_that_only_another_release_can_unbind_is_kept() {
    plans::a_binding_that_only_another_release_can_unbind_is_kept(Kept::in_memory()).await;
}

/// Runs in memory only, as above.
#[tokio::test]
async fn an_operation_of_a_later_release_is_left_to_it() {
    state::an_operation_of_a_later_release_is_left_to_it(Kept::in_memory()).await;
}

/// Runs in memory only, as above.
#[tokio::test]
async fn a_binding_of_a_later_release_is_left_to_it() {
    state::a_binding_of_a_later_release_is_left_to_it(Kept::in_memory()).await;
}

/// Records that outlive a release; each release reopens them.
struct Kept {
    /// The records as opened last.
    records: Mutex<Records>,
    file: Option<tempfile::TempDir>,
    lease: Duration,
}

impl Kept {
    fn in_memory() -> Self {
        Self { records: Mutex::new(Records::in_memory()), file: None, lease: Duration::from_secs(30) }
    }

    fn in_a_file() -> Self {
        Self { file: Some(tempfile::tempdir().expect("a temporary folder is created")), ..Self::in_memory() }
    }

    async fn open(&self) -> Settings {
        let mut records = self.records.lock().await;
        if let Some(folder) = &self.file {
            records.close().await;
            *records = Redb::open(folder.path().join("records.redb"), None).expect("it opens").into();
        }
        let mut settings = Settings::default();
        settings.store = records.clone();
        settings.lease = self.lease;
        settings
    }

    async fn serve<B: Broker>(&self, broker: B) -> Wire {
        let mut settings = self.open().await;
        settings.allow_unreadable_state = true;
        Wire::serve_with(broker, settings).await
    }

    /// Returns the rows that operators see.
    async fn operations<B: Broker>(&self) -> Vec<Json> {
        let records = self.records.lock().await;
        let view = View { store: records.store(), offerings: B::OFFERINGS };
        view.list(RecordKind::Operations, &Filter::default(), None, usize::MAX).await.expect("a list").entries
    }

    /// Returns the problems that prevent a broker from starting with these records.
    async fn refused<B: Broker>(&self, broker: B) -> Vec<String> {
        start(broker, self.open().await).await.map_or_else(|error| error.problems().to_vec(), |_| Vec::new())
    }
}

/// A running release, and the arguments of its handlers.
struct Release {
    wire: Wire,
    heard: Notes,
}

impl Release {
    async fn first(kept: &Kept) -> Self {
        let stores = FirstStores::default();
        Self { heard: stores.heard.clone(), wire: kept.serve(FirstBroker { stores }).await }
    }

    async fn second(kept: &Kept) -> Self {
        let stores = SecondStores::default();
        Self { heard: stores.heard.clone(), wire: kept.serve(SecondBroker { stores }).await }
    }

    async fn provision(&self, id: &str, plan: &str, parameters: Value) -> Reply {
        let ids = json!({ "service_id": STORES, "plan_id": plan, "organization_guid": "o", "space_guid": "s" });
        self.wire.put(&instance(id), with(ids, parameters)).await
    }

    async fn update(&self, id: &str, parameters: Value) -> Reply {
        self.wire.patch(&instance(id), with(json!({ "service_id": STORES }), parameters)).await
    }

    async fn bind(&self, id: &str, plan: &str, parameters: Value) -> Reply {
        let ids = json!({ "service_id": STORES, "plan_id": plan });
        self.wire.put(&binding(id, "b"), with(ids, parameters)).await
    }

    async fn delete(&self, path: &str) -> Reply {
        self.wire.delete(&format!("{path}?service_id={STORES}&plan_id={BASIC}")).await
    }

    async fn parameters(&self, path: &str) -> Value {
        self.wire.get(path).await.body["parameters"].take()
    }

    async fn end(self) {
        self.wire.end().await;
    }

    /// Takes the arguments of the handlers that ran since the last call.
    fn heard(&self) -> String {
        self.heard.take().join("; ")
    }
}

fn with(mut body: Value, parameters: Value) -> Value {
    body["parameters"] = parameters;
    body
}

fn is(reply: &Reply, status: u16) {
    assert_eq!(reply.status, status, "{reply:?}");
}
