//! A binding keeps its plan when the instance changes to another one, whose state has a type or a version of its own. Its
//! `unbind` gets the state that the instance has now, decoded by the plan that saved it.

use std::sync::{Arc, Mutex, PoisonError};

use osb_runtime::{
    prelude::*,
    service::{BoxError, Changes, InstanceState},
};
use osb_testing::Client;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Databases. The log has the states of instances that `unbind` got.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "databases",
    plans(Shared, Dedicated, Frozen),
    changes(Shared => Dedicated, Shared => Frozen)
)]
#[derive(Clone, Default)]
struct Databases(Arc<Mutex<Vec<String>>>);

/// On a shared server.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "shared", bindable)]
struct Shared;

/// On a server of its own.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "dedicated", bindable)]
struct Dedicated;

/// Can't be bound any more.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "frozen")]
struct Frozen;

#[derive(Debug, Serialize, Deserialize)]
struct Schema {
    schema: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Server {
    host: String,
}

/// The credentials.
#[credentials]
struct Access {
    password: String,
}

/// Implements creation and deletion for a plan.
macro_rules! provision {
    ($plan:ty, $state:ident { $field:ident }, $version:literal) => {
        impl Provision<$plan> for Databases {
            type State = $state;
            const STATE_VERSION: u32 = $version;

            async fn provision(
                &self,
                _: ProvisionRequest<$plan>,
                _: &Operation<$state>,
            ) -> Result<Provisioned<$state>, ProvisionError> {
                Ok(Provisioned::new($state { $field: "first".to_owned() }))
            }

            async fn deprovision(
                &self,
                _: DeprovisionRequest<$plan, $state>,
                _: &Operation<$state>,
            ) -> Result<(), DeprovisionError> {
                Ok(())
            }

            fn migrate_state(version: u32, state: Value) -> Result<$state, BoxError> {
                Err(format!("{} can't migrate {state} of version {version}", stringify!($plan)).into())
            }
        }
    };
}

provision!(Shared, Schema { schema }, 1);
provision!(Dedicated, Server { host }, 2);
provision!(Frozen, Schema { schema }, 3);

impl<New: Plan> ChangePlan<Shared, New> for Databases
where
    Databases: Changes<Shared, New> + InstanceState<Shared, State = Schema> + InstanceState<New, State: From<Schema>>,
{
    async fn change_plan(
        &self,
        request: UpdateRequest<Shared, New, Schema>,
        _: &Operation<<Self as InstanceState<New>>::State>,
    ) -> Result<Updated<<Self as InstanceState<New>>::State>, UpdateError> {
        Ok(Updated::new(request.state.into()))
    }
}

impl From<Schema> for Server {
    fn from(Schema { schema }: Schema) -> Self {
        Self { host: format!("host of {schema}") }
    }
}

/// Implements bindings for a plan.
macro_rules! bind {
    ($plan:ty, $state:ty) => {
        impl Bind<$plan> for Databases {
            type Output = Credentials<Access>;
            type BindingState = ();

            async fn bind(
                &self,
                _: BindRequest<$plan, $state>,
                _: &Operation,
            ) -> Result<Bound<Self::Output>, BindError> {
                Ok(Bound::new(Credentials(Access { password: "p".to_owned() }), ()))
            }

            async fn unbind(&self, request: UnbindRequest<$plan, $state>, _: &Operation) -> Result<(), UnbindError> {
                let seen = match request.instance_state {
                    StoredState::Saved(state) => format!("{state:?}"),
                    StoredState::Unreadable(other) => {
                        let server = other.saved().decode::<Server>().map_err(|_| "no server either")?;
                        format!("{server:?}: {other}")
                    }
                    StoredState::NeverSaved => "nothing".to_owned(),
                };
                self.0.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
                Ok(())
            }
        }
    };
}

bind!(Shared, Schema);
bind!(Dedicated, Server);

#[broker]
struct Broker(Databases);

/// Creates an instance with a binding, changes its plan, and returns what `unbind` got: by a request, and when the instance is
/// deleted with another binding.
async fn unbound_after_change_to(plan: &str) -> Vec<String> {
    let databases = Databases::default();
    let platform = Client::new(Broker(databases.clone())).await;
    assert_eq!(platform.provision("i", "databases", "shared", ()).await.status, 201);
    for binding in ["one", "two"] {
        assert_eq!(platform.bind("i", binding, ()).await.status, 201);
    }
    assert_eq!(platform.change_plan("i", plan, ()).await.status, 200);
    let unbound = platform.unbind("i", "one").await;
    assert_eq!(unbound.status, 200, "{unbound:?}");
    let deleted = platform.deprovision("i").await;
    assert_eq!(deleted.status, 200, "{deleted:?}");
    let seen = databases.0.lock().unwrap_or_else(PoisonError::into_inner);
    seen.clone()
}

#[tokio::test]
async fn a_state_of_the_same_type_is_that_of_the_present_plan() {
    assert_eq!(unbound_after_change_to("frozen").await, [r#"Schema { schema: "first" }"#; 2]);
}

#[tokio::test]
async fn a_state_of_another_type_is_unreadable_and_can_be_decoded_by_hand() {
    let expected = "Server { host: \"host of first\" }: the instance has plan `dedicated` now, whose state has another type than \
                    that of the binding's plan; where the plans of a service have different states, match on `instance_state`, \
                    and decode `saved`";
    assert_eq!(unbound_after_change_to("dedicated").await, [expected; 2]);
}
