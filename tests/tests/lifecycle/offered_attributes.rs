//! The attributes of a service for contexts and maintenance have their effects.

use osb_lab::prelude::*;
use osb_runtime::{prelude::*, protocol::Context};
use osb_testing::Client;

const SERVICE: &str = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01";
const FIRST: &str = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02";
const SECOND: &str = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03";

/// A service that gets no updates of the context alone.
#[service(
    id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "plain",
    plans(First, Second),
    changes(First => Second)
)]
#[derive(Clone, Default)]
struct Plain {
    spaces: Notes,
}

/// The first plan.
#[plan(
    id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02",
    name = "first",
    bindable,
    maintenance_info(version = "1.0.0", description = "A restart.")
)]
struct First;

/// The second plan.
#[plan(
    id = "5d1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03",
    name = "second",
    maintenance_info(version = "2.0.0", description = "A restart.")
)]
struct Second;

#[broker]
struct PlainBroker {
    plain: Plain,
}

impl<P: Plan<Create = NoParameters>> Provision<P> for Plain {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, request: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        self.note(&request.context);
        Ok(())
    }
}

impl Plain {
    fn note(&self, context: &Context) {
        if let Context::CloudFoundry(space) = context {
            self.spaces.add(space.space_guid.clone());
        }
    }
}

impl Bind<First> for Plain {
    type Output = Endpoints;
    type BindingState = ();

    async fn bind(&self, request: BindRequest<First, ()>, _: &Operation) -> Result<Bound<Endpoints>, BindError> {
        self.note(&request.context);
        Ok(Bound::new(Endpoints(vec![Endpoint::tcp("example.com", 443)]), ()))
    }

    async fn unbind(&self, _: UnbindRequest<First, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

osb_lab::update_nothing!(Plain: First, Second);

impl ChangePlan<First, Second> for Plain {
    async fn change_plan(
        &self,
        request: UpdateRequest<First, Second, ()>,
        _: &Operation,
    ) -> Result<Updated<()>, UpdateError> {
        self.note(&request.context);
        Ok(Updated::new(()))
    }
}

fn context(space: &str) -> Value {
    json!({ "platform": "cloudfoundry", "organization_guid": "o", "space_guid": space })
}

/// Creates the instance `i` in a space.
async fn instance_in(space: &str) -> (Plain, Client) {
    let plain = Plain::default();
    let platform = Client::new(PlainBroker { plain: plain.clone() }).await;
    let new = json!({
        "service_id": SERVICE, "plan_id": FIRST, "organization_guid": "o", "space_guid": space, "context": context(space),
    });
    assert_eq!(platform.request("PUT", &instance("i"), Some(new)).await.status, 201);
    (plain, platform)
}

#[tokio::test]
async fn upd_03_a_context_alone_is_not_stored_unless_the_service_allows_it() {
    let (plain, platform) = instance_in("old").await;
    let update = json!({ "service_id": SERVICE, "context": context("new") });
    assert_eq!(platform.request("PATCH", &instance("i"), Some(update)).await.status, 200);
    assert_eq!(platform.deprovision("i").await.status, 200);
    assert_eq!(plain.spaces.all(), ["old"]);
}

#[tokio::test]
async fn upd_08_an_update_has_a_context_of_its_own_which_is_stored() {
    let (plain, platform) = instance_in("old").await;
    let update = json!({ "service_id": SERVICE, "plan_id": SECOND, "context": context("new") });
    assert_eq!(platform.request("PATCH", &instance("i"), Some(update)).await.status, 200);
    assert_eq!(plain.spaces.all(), ["new"]);
    assert_eq!(platform.deprovision("i").await.status, 200);
    assert_eq!(plain.spaces.all(), ["new", "new"]);
}

/// An application of another space uses the binding of a shared instance.
#[tokio::test]
async fn a_binding_has_a_context_of_its_own_or_that_of_its_instance() {
    let (plain, platform) = instance_in("own").await;
    let bind = json!({ "service_id": SERVICE, "plan_id": FIRST });
    assert_eq!(platform.request("PUT", &binding("i", "a"), Some(bind.clone())).await.status, 201);
    let mut other = bind;
    other["context"] = context("other");
    assert_eq!(platform.request("PUT", &binding("i", "b"), Some(other)).await.status, 201);
    assert_eq!(plain.spaces.all(), ["own", "other"]);
}

#[tokio::test]
async fn geti_08_a_change_of_plan_brings_the_maintenance_version_of_the_new_plan() {
    let platform = Client::new(PlainBroker { plain: Plain::default() }).await;
    assert_eq!(platform.provision("i", "plain", "first", ()).await.status, 201);
    assert_eq!(platform.fetch_instance("i").await.body["maintenance_info"], json!({ "version": "1.0.0" }));
    assert_eq!(platform.change_plan("i", "second", ()).await.status, 200);
    let fetched = platform.fetch_instance("i").await.body;
    assert_eq!((&fetched["plan_id"], &fetched["maintenance_info"]), (&json!(SECOND), &json!({ "version": "2.0.0" })));
}
