//! Bindings of an instance whose plan changes, before or while they are made or deleted, and bindings that can't be fetched.

use osb_lab::prelude::*;
use osb_runtime::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

const SERVICE: &str = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5e01";
const SHARED: &str = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e02";
const OWN: &str = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e03";
const CLUSTER: &str = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e04";
const FROZEN: &str = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e05";

/// Databases in a schema of a shared server, or on a server of their own.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5e01",
    name = "databases",
    plans(Shared, Own, Cluster, Frozen),
    changes(Shared => Own, Shared => Cluster, Shared => Frozen),
    bindings_retrievable = false
)]
#[derive(Clone, Default)]
struct Databases {
    notes: Notes,
    gate: Arc<Notify>,
    /// Makes changes of plan fail half-way.
    is_broken: Arc<AtomicBool>,
    /// Makes changes to the plan `cluster` wait at the gate.
    is_slow: Arc<AtomicBool>,
}

/// A schema.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e02", name = "shared", bind = Role, rotatable)]
struct Shared;

/// A server.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e03", name = "own", bind = Quota, rotatable)]
struct Own;

/// Several servers.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e04", name = "cluster", asynchronous(instances = never))]
struct Cluster;

/// A schema that can't be bound any more.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5e05", name = "frozen")]
struct Frozen;

/// The parameters of a role.
#[parameters]
struct Role {
    /// The behaviour of the handlers.
    #[param(default = "succeed")]
    mood: String,
}

/// The parameters of a role with a quota.
#[parameters]
struct Quota {
    /// The number of connections.
    #[param(range(min = 1, max = 9))]
    connections: u32,
}

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
    /// The password.
    password: String,
}

impl Databases {
    async fn has_noted(&self, count: usize) {
        until(async || self.notes.all().len() >= count).await;
    }
}

fn bound() -> Bound<Credentials<Access>> {
    Bound::new(Credentials(Access { password: "hush".to_owned() }), ())
}

macro_rules! provision {
    ($plan:ty, $state:ident { $field:ident }, $version:literal) => {
        impl Provision<$plan> for Databases {
            type State = $state;
            const STATE_VERSION: u32 = $version;
            fn migrate_state(version: u32, _: Value) -> Result<$state, BoxError> {
                Err(format!("there never was a version {version}").into())
            }
            async fn provision(
                &self,
                _: ProvisionRequest<$plan>,
                _: &Operation<$state>,
            ) -> Result<Provisioned<$state>, ProvisionError> {
                Ok(Provisioned::new($state { $field: "first".to_owned() }))
            }
            async fn deprovision(
                &self,
                request: DeprovisionRequest<$plan, $state>,
                _: &Operation<$state>,
            ) -> Result<(), DeprovisionError> {
                let unfinished = request.unfinished_change.map(|change| (change.plan_id, change.checkpoint.value));
                self.notes.add(format!("deprovision {unfinished:?}"));
                Ok(())
            }
        }
    };
}
provision!(Shared, Schema { schema }, 1);
provision!(Own, Server { host }, 2);
provision!(Cluster, Server { host }, 2);
provision!(Frozen, Schema { schema }, 3);

impl ChangePlan<Shared, Own> for Databases {
    async fn change_plan(
        &self,
        request: UpdateRequest<Shared, Own, Schema>,
        operation: &Operation<Server>,
    ) -> Result<Updated<Server>, UpdateError> {
        let made = Server { host: request.state.schema };
        operation.checkpoint(&made).await.map_err(UpdateError::unexpected)?;
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(UpdateError::unexpected("half-way"));
        }
        Ok(Updated::new(made))
    }
}

impl ChangePlan<Shared, Cluster> for Databases {
    async fn change_plan(
        &self,
        request: UpdateRequest<Shared, Cluster, Schema>,
        operation: &Operation<Server>,
    ) -> Result<Updated<Server>, UpdateError> {
        let unfinished = request.unfinished_change.map(|change| (change.plan_id, change.checkpoint.value));
        let (has_checkpoint, bindings) = (operation.checkpointed().is_some(), request.bindings);
        self.notes.add(format!("to cluster {unfinished:?} {has_checkpoint} with {bindings} bindings"));
        if self.is_slow.load(Ordering::Relaxed) {
            self.gate.notified().await;
        }
        Ok(Updated::new(Server { host: request.state.schema }))
    }
}

osb_lab::change_nothing!(Databases: Shared => Frozen);

impl Bind<Shared> for Databases {
    type Output = Credentials<Access>;
    type BindingState = ();
    async fn bind(
        &self,
        request: BindRequest<Shared, Schema>,
        operation: &Operation,
    ) -> Result<Bound<Self::Output>, BindError> {
        self.notes.add(format!("bind {} {}", operation.attempt(), request.instance_state.schema));
        match request.parameters.mood.as_str() {
            "later" if operation.attempt() < 3 => return Err(BindError::temporary("not yet")),
            "wait" => self.gate.notified().await,
            _ => {}
        }
        Ok(bound())
    }
    async fn unbind(&self, request: UnbindRequest<Shared, Schema>, operation: &Operation) -> Result<(), UnbindError> {
        let seen = match request.instance_state {
            StoredState::Saved(state) => format!("{state:?}"),
            StoredState::Unreadable(other) => {
                let server = other.saved().decode::<Server>().map_err(|_| "no server either")?;
                format!("{server:?}: {other}")
            }
            StoredState::NeverSaved => "nothing".to_owned(),
        };
        self.notes.add(format!("unbind {} {} {seen}", request.plan.name, operation.attempt()));
        match request.parameters.decoded().map(|role| role.mood).as_deref() {
            Some("later") if operation.attempt() == 1 => return Err(UnbindError::temporary("not yet")),
            Some("wait_to_unbind") => self.gate.notified().await,
            _ => {}
        }
        Ok(())
    }
}

impl Bind<Own> for Databases {
    type Output = Credentials<Access>;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Own, Server>, _: &Operation) -> Result<Bound<Self::Output>, BindError> {
        self.notes.add("bind".to_owned());
        Ok(bound())
    }
    async fn unbind(&self, _: UnbindRequest<Own, Server>, _: &Operation) -> Result<(), UnbindError> {
        self.notes.add("unbind".to_owned());
        Ok(())
    }
}

#[broker]
struct Broker(Databases);

/// Serves the databases with one instance of the plan `shared`.
async fn serve(change: impl FnOnce(&mut Settings)) -> (Wire, Databases) {
    let (databases, mut settings) = (Databases::default(), Settings::default());
    settings.sync_wait = Duration::from_millis(50);
    settings.retry.initial_delay = Duration::from_millis(100);
    change(&mut settings);
    let wire = Wire::serve_with(Broker(databases.clone()), settings).await;
    let body = json!({ "service_id": SERVICE, "plan_id": SHARED, "organization_guid": "o", "space_guid": "s" });
    assert_eq!(wire.put(I, body).await.status, 201);
    (wire, databases)
}

fn bind(mood: &str) -> Value {
    json!({ "service_id": SERVICE, "plan_id": SHARED, "parameters": { "mood": mood } })
}

fn to(plan: &str) -> Value {
    json!({ "service_id": SERVICE, "plan_id": plan })
}

fn unbinds(query: &str) -> String {
    format!("{B}?service_id={SERVICE}&plan_id={SHARED}{query}")
}

#[tokio::test]
async fn t44_a_repeated_bind_whose_credentials_cannot_be_fetched_waits_too() {
    let (wire, databases) = serve(|settings| settings.sync_deadline = Duration::from_secs(2)).await;
    let path = accepting(B);
    let repeated = async {
        databases.has_noted(1).await;
        wire.put(&path, bind("wait")).await
    };
    let opens = async {
        databases.has_noted(1).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        databases.gate.notify_one();
    };
    let (first, second, ()) = tokio::join!(wire.put(&path, bind("wait")), repeated, opens);
    for answer in [first, second] {
        assert_eq!(answer.body["credentials"]["password"], "hush", "{answer:?}");
    }
}

#[tokio::test]
async fn unb_03_a_slow_unbind_is_asynchronous_even_if_bindings_cannot_be_fetched() {
    let (wire, databases) = serve(|_| {}).await;
    assert_eq!(wire.put(B, bind("wait_to_unbind")).await.status, 201);
    let accepted = wire.delete(&unbinds("&accepts_incomplete=true")).await.has_status(202);
    let repeated = wire.delete(&unbinds("&accepts_incomplete=true")).await;
    assert_eq!((repeated.status, &repeated.body), (202, &accepted.body));
    databases.gate.notify_one();
    wire.settled(B).await.has_status(410);
}

#[tokio::test]
async fn the_plan_does_not_change_while_a_bind_is_retried() {
    let (wire, databases) = serve(|_| {}).await;
    let meanwhile = async {
        databases.has_noted(1).await;
        wire.patch(I, to(OWN)).await
    };
    let (bound, refused) = tokio::join!(wire.put(B, bind("later")), meanwhile);
    assert_eq!((bound.status, &refused.body["error"]), (201, &json!("ConcurrencyError")), "{refused:?}");
    assert_eq!(wire.patch(I, to(OWN)).await.status, 200);
}

#[tokio::test]
async fn the_plan_does_not_change_while_an_unbind_is_retried() {
    let (wire, databases) = serve(|_| {}).await;
    databases.gate.notify_one();
    assert_eq!(wire.put(B, bind("later")).await.status, 201);
    let noted = databases.notes.all().len();
    let meanwhile = async {
        databases.has_noted(noted + 1).await;
        wire.patch(I, to(OWN)).await
    };
    let unbind = unbinds("");
    let (unbound, refused) = tokio::join!(wire.delete(&unbind), meanwhile);
    assert_eq!((unbound.status, &refused.body["error"]), (200, &json!("ConcurrencyError")), "{refused:?}");
}

#[tokio::test]
async fn rot_05_inherited_parameters_have_to_fit_the_present_plan() {
    let (wire, databases) = serve(|_| {}).await;
    assert_eq!(wire.put(B, bind("succeed")).await.status, 201);
    assert_eq!(wire.patch(I, to(OWN)).await.status, 200);
    let noted = databases.notes.all().len();
    let rotated = wire.put(&binding("i", "c"), json!({ "predecessor_binding_id": "b" })).await.has_status(400);
    assert!(rotated.description().contains("/connections: is missing"), "{rotated:?}");
    assert_eq!(databases.notes.all().len(), noted, "no handler was called");
}

#[tokio::test]
async fn a_change_of_plan_gets_the_number_of_bindings() {
    let (wire, databases) = serve(|_| {}).await;
    for binding in ["a", "b", "c"] {
        assert_eq!(wire.put(&format!("{I}/service_bindings/{binding}"), bind("succeed")).await.status, 201);
    }
    assert_eq!(wire.delete(&unbinds("")).await.status, 200);
    assert_eq!(wire.patch(I, to(CLUSTER)).await.status, 200);
    assert_eq!(databases.notes.all().last().map(String::as_str), Some("to cluster None false with 2 bindings"));
}

#[tokio::test]
async fn a_deletion_gets_what_a_failed_change_of_plan_has_made() {
    let (wire, databases) = serve(|_| {}).await;
    databases.is_broken.store(true, Ordering::Relaxed);
    assert_eq!(wire.patch(I, to(OWN)).await.status, 500);
    assert_eq!(wire.delete(&format!("{I}?service_id={SERVICE}&plan_id={SHARED}")).await.status, 200);
    let expected = format!("deprovision {:?}", Some((OWN, json!({ "host": "first" }))));
    assert_eq!(databases.notes.all(), [expected]);

    let (wire, databases) = serve(|_| {}).await;
    databases.is_broken.store(true, Ordering::Relaxed);
    assert_eq!(wire.patch(I, to(OWN)).await.status, 500);
    databases.is_broken.store(false, Ordering::Relaxed);
    assert_eq!(wire.patch(I, to(OWN)).await.status, 200);
    assert_eq!(wire.delete(&format!("{I}?service_id={SERVICE}&plan_id={OWN}")).await.status, 200);
    assert_eq!(databases.notes.all(), ["deprovision None"], "the next change has finished it");
}

#[tokio::test]
async fn a_change_to_a_third_plan_gets_what_a_failed_one_has_made() {
    let (wire, databases) = serve(|_| {}).await;
    databases.is_broken.store(true, Ordering::Relaxed);
    assert_eq!(wire.patch(I, to(OWN)).await.status, 500);
    assert_eq!(wire.patch(I, to(CLUSTER)).await.status, 200);
    assert_eq!(wire.delete(&format!("{I}?service_id={SERVICE}&plan_id={CLUSTER}")).await.status, 200);
    let made = format!("{:?}", Some((OWN, json!({ "host": "first" }))));
    assert_eq!(
        databases.notes.all(),
        [format!("to cluster {made} false with 0 bindings"), "deprovision None".to_owned()]
    );
}

/// A binding keeps its plan. Its `unbind` gets the state that the instance has now, decoded by the plan that saved it.
#[tokio::test]
async fn a_binding_of_a_former_plan_is_unbound_with_the_present_state() {
    let of_another_type = "Server { host: \"first\" }: the instance has plan `own` now, whose state has another type than \
                           that of the binding's plan; where the plans of a service have different states, match on \
                           `instance_state`, and decode `saved`";
    for (plan, state) in [(FROZEN, "Schema { schema: \"first\" }"), (OWN, of_another_type)] {
        let (wire, databases) = serve(|_| {}).await;
        for id in ["b", "c"] {
            assert_eq!(wire.put(&binding("i", id), bind("succeed")).await.status, 201);
        }
        assert_eq!(wire.patch(I, to(plan)).await.status, 200);
        let noted = databases.notes.all().len();
        assert_eq!(wire.delete(&unbinds("")).await.status, 200);
        assert_eq!(wire.delete(&format!("{I}?service_id={SERVICE}&plan_id={plan}")).await.status, 200);
        assert_eq!(
            databases.notes.all()[noted..noted + 2],
            [format!("unbind shared 1 {state}"), format!("unbind shared 1 {state}")]
        );
    }
}

/// The new plan is never asynchronous, and the old one is if it takes long.
#[tokio::test]
async fn asy_02_a_repeated_change_of_plan_is_answered_as_the_new_plan_says() {
    let (wire, databases) = serve(|_| {}).await;
    databases.is_slow.store(true, Ordering::Relaxed);
    let path = accepting(I);
    let repeated = async {
        databases.has_noted(1).await;
        wire.patch(&path, to(CLUSTER)).await
    };
    let opens = async {
        databases.has_noted(1).await;
        // Longer than a plan would wait that can be asynchronous.
        tokio::time::sleep(Duration::from_millis(200)).await;
        databases.gate.notify_one();
    };
    let (first, second, ()) = tokio::join!(wire.patch(&path, to(CLUSTER)), repeated, opens);
    for answer in [first, second] {
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}
