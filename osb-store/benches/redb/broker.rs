//! A broker with every kind of operation, whose handlers do nothing, and a platform in the same process.

use std::{
    ops::Range,
    path::Path,
    sync::{Arc, Mutex},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use osb_runtime::{
    http::{AcceptedCredentials, BrokerService, HttpSettings},
    lifecycle::Settings,
    prelude::*,
    store::Records,
};
use osb_store::{Keys, Redb};
use tokio::task::JoinSet;
use tower_service::Service;

const SERVICE: &str = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01";
const PLAN: &str = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02";
const USER: &str = "platform";
const PASSWORD: &str = "a-long-random-password";

/// A store of keys and values.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "store", tags("kv"), plans(Single))]
#[derive(Debug)]
struct Store;

/// One machine.
#[plan(
    id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02",
    name = "single",
    create = NewStore,
    update = StoreChanges,
    bindable,
    asynchronous(instances = never, bindings = never)
)]
#[derive(Debug)]
struct Single;

/// The size and name of a store.
#[parameters(partial = StoreChanges)]
#[derive(Debug)]
struct NewStore {
    /// Size in MB.
    #[param(range(min = 1, max = 65536), default = 64)]
    size_mb: u32,
    /// Name of the store.
    #[param(length(min = 1, max = 40), pattern = "^[a-z][a-z0-9-]*$")]
    name: Option<String>,
}

/// The address of a store.
#[credentials]
#[derive(Debug)]
struct Access {
    /// Address of the store.
    uri: String,
}

impl Provision<Single> for Store {
    type State = String;

    async fn provision(
        &self,
        request: ProvisionRequest<Single>,
        operation: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        std::hint::black_box(request.parameters);
        Ok(Provisioned::new(operation.id().to_string()))
    }

    async fn deprovision(
        &self,
        _: DeprovisionRequest<Single, String>,
        _: &Operation<String>,
    ) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Update<Single> for Store {
    async fn update(
        &self,
        request: UpdateRequest<Single, Single, String>,
        _: &Operation<String>,
    ) -> Result<Updated<String>, UpdateError> {
        std::hint::black_box(request.parameters);
        Ok(Updated::new(request.state))
    }
}

impl Bind<Single> for Store {
    type Output = Credentials<Access>;
    type BindingState = ();

    async fn bind(
        &self,
        request: BindRequest<Single, String>,
        _: &Operation,
    ) -> Result<Bound<Credentials<Access>>, BindError> {
        Ok(Bound::new(Credentials(Access { uri: format!("https://store.example.com/{}", request.instance_state) }), ()))
    }

    async fn unbind(&self, _: UnbindRequest<Single, String>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

/// The broker.
#[broker]
#[derive(Debug)]
struct Stores {
    /// The only service.
    store: Store,
}

fn keys() -> Keys {
    "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea".parse().expect("it is a key")
}

/// Opens a file of sealed records.
pub(crate) fn open(path: &Path) -> Records {
    Redb::open(path, keys()).unwrap_or_else(|error| panic!("{error}")).into()
}

/// The kinds of requests, in an order in which all of them succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Provision,
    ProvisionAgain,
    Fetch,
    Poll,
    Update,
    Bind,
    Unbind,
    Deprovision,
}

impl Asked {
    pub(crate) const ALL: [Self; 8] = [
        Self::Provision,
        Self::ProvisionAgain,
        Self::Fetch,
        Self::Poll,
        Self::Update,
        Self::Bind,
        Self::Unbind,
        Self::Deprovision,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Provision => "provision",
            Self::ProvisionAgain => "provision again",
            Self::Fetch => "fetch",
            Self::Poll => "poll",
            Self::Update => "update",
            Self::Bind => "bind",
            Self::Unbind => "unbind",
            Self::Deprovision => "deprovision",
        }
    }

    fn request(self, id: &str, binding: &str) -> Request<Full<Bytes>> {
        let plan = format!(r#""service_id":"{SERVICE}","plan_id":"{PLAN}""#);
        let query = format!("?service_id={SERVICE}&plan_id={PLAN}");
        let place = r#""organization_guid":"1a6a3c9b-6b28-4a39-9f8c-2b7b1d3f1a11","space_guid":"2b7b1d3f-6b28-4a39-9f8c-1a6a3c9b2b22""#;
        let context = format!(
            r#""context":{{"platform":"cloudfoundry",{place},"organization_name":"acme","space_name":"production","instance_name":"sessions"}}"#
        );
        let (method, path, body) = match self {
            Self::Provision | Self::ProvisionAgain => (
                "PUT",
                String::new(),
                format!(r#"{{{plan},{place},{context},"parameters":{{"size_mb":256,"name":"sessions"}}}}"#),
            ),
            Self::Fetch => ("GET", query, String::new()),
            Self::Poll => ("GET", format!("/last_operation{query}"), String::new()),
            Self::Update => ("PATCH", String::new(), format!(r#"{{{plan},{context},"parameters":{{"size_mb":512}}}}"#)),
            Self::Bind => (
                "PUT",
                format!("/service_bindings/{binding}"),
                format!(
                    r#"{{{plan},{context},"bind_resource":{{"app_guid":"683ea748-3092-4ff4-b656-39cacc4d5360"}}}}"#
                ),
            ),
            Self::Unbind => ("DELETE", format!("/service_bindings/{binding}{query}"), String::new()),
            Self::Deprovision => ("DELETE", query, String::new()),
        };
        let pair = STANDARD.encode(format!("{USER}:{PASSWORD}"));
        let user = STANDARD.encode(r#"{"user_id":"683ea748-3092-4ff4-b656-39cacc4d5360"}"#);
        let request = Request::builder()
            .method(method)
            .uri(format!("/v2/service_instances/{id}{path}"))
            .header("Authorization", format!("Basic {pair}"))
            .header("X-Broker-API-Version", "2.17")
            .header("X-Broker-API-Originating-Identity", format!("cloudfoundry {user}"))
            .header("X-Broker-API-Request-Identity", "e26cee84-6b38-4456-b34e-d1a9f002c956")
            .header("Content-Type", "application/json");
        request.body(Full::from(body)).expect("it is a request")
    }

    fn status(self) -> u16 {
        match self {
            Self::Provision | Self::Bind => 201,
            _ => 200,
        }
    }
}

/// A running broker.
#[derive(Clone)]
pub(crate) struct Broker {
    service: BrokerService,
    pub(crate) records: Records,
}

impl Broker {
    pub(crate) async fn start(records: Records) -> Self {
        let mut settings = Settings::default();
        settings.store = records;
        Self::start_with(settings).await
    }

    pub(crate) async fn start_with(settings: Settings) -> Self {
        let pair = AcceptedCredentials::basic(USER, PASSWORD).expect("they are good credentials");
        let records = settings.store.clone();
        let service = BrokerService::start_with(Stores { store: Store }, pair, HttpSettings::default(), settings);
        Self { service: service.await.expect("the broker starts"), records }
    }

    /// Sends a request, and returns the status of the response.
    pub(crate) async fn ask(&self, asked: Asked, id: &str) -> u16 {
        self.ask_binding(asked, id, "b").await
    }

    async fn ask_binding(&self, asked: Asked, id: &str, binding: &str) -> u16 {
        let answer = self.service.clone().call(asked.request(id, binding)).await;
        answer.unwrap_or_else(|never| match never {}).status().as_u16()
    }

    /// Sends a request, and checks that it succeeds.
    pub(crate) async fn expect(&self, asked: Asked, id: &str) {
        self.expect_binding(asked, id, "b").await;
    }

    /// Sends a request for a binding, and checks that it succeeds.
    pub(crate) async fn expect_binding(&self, asked: Asked, id: &str, binding: &str) {
        assert_eq!(self.ask_binding(asked, id, binding).await, asked.status(), "{}", asked.name());
    }

    /// Sends a request for each of many instances, from clients in a closed loop, and checks that it succeeds.
    pub(crate) async fn expect_of_all(&self, asked: Asked, numbers: Range<u64>, clients: usize) {
        let numbers = Arc::new(Mutex::new(numbers));
        let mut tasks = JoinSet::new();
        for _ in 0..clients {
            let (broker, numbers) = (self.clone(), Arc::clone(&numbers));
            let next = move || numbers.lock().expect("not poisoned").next();
            tasks.spawn(async move {
                while let Some(number) = next() {
                    broker.expect(asked, &id(number)).await;
                }
            });
        }
        while let Some(client) = tasks.join_next().await {
            client.expect("every request is answered");
        }
    }
}

/// Returns the id of an instance, by its number. Ids are spread like the random ids of platforms.
pub(crate) fn id(number: u64) -> String {
    let spread = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:08x}-{:04x}-4a3c-9e0a-{number:012x}", spread >> 32, spread >> 16 & 0xffff)
}
