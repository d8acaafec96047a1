//! The state that reaches the handlers of a binding: the last one that was saved, decoded by the plan that saved it.

use std::time::{Duration, SystemTime};

use osb_lab::Notes;
use osb_runtime::prelude::*;
use osb_testing::Client;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Databases. The log has the states that handlers got.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "databases",
    plans(Shared, Dedicated),
    changes(Shared => Dedicated)
)]
#[derive(Clone, Default)]
struct Databases(Notes);

/// On a shared server. Its credentials end before they can be renewed.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "shared", bind = Expiry, rotatable)]
struct Shared;

/// On a server of its own.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "dedicated", bindable, rotatable)]
struct Dedicated;

/// Parameters of a binding.
#[parameters]
struct Expiry {
    /// Whether the credentials end before they can be renewed, which is an error of the broker.
    #[param(default = false)]
    inverted: bool,
}

/// The credentials.
#[credentials]
struct Access {
    password: String,
}

/// A user of the shared server.
#[derive(Debug, Serialize, Deserialize)]
struct User {
    id: u64,
    granted: bool,
}

/// A role of the instance's own server. It would also decode from a [`User`].
#[derive(Debug, Serialize, Deserialize)]
struct Role {
    id: u64,
}

impl Databases {
    fn got(&self, state: impl std::fmt::Debug) {
        self.0.add(format!("{state:?}"));
    }
}

osb_lab::provision_nothing!(Databases);
osb_lab::change_nothing!(Databases: Shared => Dedicated);

fn access() -> Credentials<Access> {
    Credentials(Access { password: "p".to_owned() })
}

impl Bind<Shared> for Databases {
    type Output = Credentials<Access>;
    type BindingState = User;

    async fn bind(
        &self,
        request: BindRequest<Shared, (), User>,
        operation: &Operation<User>,
    ) -> Result<Bound<Self::Output, User>, BindError> {
        operation.checkpoint(&User { id: 1, granted: false }).await?;
        let (now, bound) = (SystemTime::now(), Bound::new(access(), User { id: 1, granted: true }));
        let minutes = |minutes| now + Duration::from_mins(minutes);
        let renew_before = if request.parameters.inverted { minutes(20) } else { minutes(5) };
        Ok(bound.expires_at(minutes(10)).renew_before(renew_before))
    }

    async fn unbind(&self, request: UnbindRequest<Shared, (), User>, _: &Operation<User>) -> Result<(), UnbindError> {
        self.got(request.state.decoded()?);
        Ok(())
    }
}

impl Bind<Dedicated> for Databases {
    type Output = Credentials<Access>;
    type BindingState = Role;

    async fn bind(
        &self,
        request: BindRequest<Dedicated, (), Role>,
        _: &Operation<Role>,
    ) -> Result<Bound<Self::Output, Role>, BindError> {
        self.got(request.predecessor.map(|predecessor| predecessor.state));
        Ok(Bound::new(access(), Role { id: 2 }))
    }

    async fn unbind(&self, _: UnbindRequest<Dedicated, (), Role>, _: &Operation<Role>) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Broker(Databases);

async fn instance() -> (Client, Databases) {
    let databases = Databases::default();
    let platform = Client::new(Broker(databases.clone())).await;
    assert_eq!(platform.provision("i", "databases", "shared", ()).await.status, 201);
    (platform, databases)
}

#[tokio::test]
async fn a_bind_with_an_invalid_output_is_rolled_back_with_the_state_that_it_returned() {
    let (platform, databases) = instance().await;
    assert_eq!(platform.bind("i", "b", json!({ "inverted": true })).await.status, 500);
    assert_eq!(databases.0.all(), ["Some(User { id: 1, granted: true })"]);
}

/// A state of another plan can decode as one of this plan, and then means something else.
#[tokio::test]
async fn rot_02_a_predecessor_of_a_plan_with_another_state_is_refused() {
    let (platform, databases) = instance().await;
    assert_eq!(platform.bind("i", "old", ()).await.status, 201);
    assert_eq!(platform.change_plan("i", "dedicated", ()).await.status, 200);
    let rotate = async |predecessor: &str, new: &str| {
        let path = format!("/v2/service_instances/i/service_bindings/{new}");
        platform.request("PUT", &path, Some(json!({ "predecessor_binding_id": predecessor }))).await
    };
    let refused = rotate("old", "new").await;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(databases.0.all().is_empty(), "the handler gets no state of another plan");
    assert_eq!(platform.bind("i", "other", ()).await.status, 201);
    assert_eq!(rotate("other", "newer").await.status, 201);
    assert_eq!(databases.0.all(), ["None", "Some(Role { id: 2 })"]);
}
