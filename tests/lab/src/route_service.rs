//! A broker of a route service. The labels of its instances contain the context of their creation.

use osb_runtime::{prelude::*, protocol::Context};

/// A crossing that requests pass.
///
/// The secret of its dashboard's client is in a variable that is set wherever a test runs.
#[service(
    id = "2b1d0c5e-7f0a-4c57-9d55-0f9a3f6f7c01",
    name = "crossing",
    tags("route", "logs"),
    plans(Proxied, Inline, Tap),
    changes(Proxied => Inline),
    metadata(display_name = "The Crossing"),
    dashboard_client(id = "crossing", secret_env = "PATH", redirect_uri = "https://crossing.example.com"),
    extensions("max_db_per_node": 5)
)]
#[derive(Debug, Clone)]
pub struct Crossing;

/// Requests are sent through the broker's proxy by the platform.
#[plan(
    id = "2b1d0c5e-7f0a-4c57-9d55-0f9a3f6f7c02",
    name = "proxied",
    bindable,
    free = false,
    metadata(bullets("40 concurrent connections"), costs((usd = 99.0, unit = "MONTHLY")), "cost": 0),
    extensions("max_storage_tb": 5)
)]
#[derive(Debug)]
pub struct Proxied;

/// The proxy is in the requests' way already.
#[plan(id = "2b1d0c5e-7f0a-4c57-9d55-0f9a3f6f7c03", name = "inline", bindable)]
#[derive(Debug)]
pub struct Inline;

/// Logs of applications, or access to the logs with a service key.
#[plan(id = "2b1d0c5e-7f0a-4c57-9d55-0f9a3f6f7c04", name = "tap", bindable)]
#[derive(Debug)]
pub struct Tap;

/// Access to the logs.
#[credentials]
pub struct TapKey {
    /// The user.
    pub user: String,
}

fn told(context: &Context, name: &str) -> String {
    context.fields().get(name).and_then(|value| value.as_str()).unwrap_or("not told").to_owned()
}

impl<P: Plan> Provision<P> for Crossing {
    type State = ();

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        _: &Operation<()>,
    ) -> Result<Provisioned<()>, ProvisionError> {
        let told = |name| told(&request.context, name);
        Ok(Provisioned::new(())
            .label("platform", told("platform"))
            .label("organization", told("organization_guid"))
            .label("space", told("space_guid")))
    }

    async fn deprovision(&self, _: DeprovisionRequest<P, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl ChangePlan<Proxied, Inline> for Crossing {
    async fn change_plan(
        &self,
        request: UpdateRequest<Proxied, Inline, ()>,
        _: &Operation<()>,
    ) -> Result<Updated<()>, UpdateError> {
        Ok(Updated::new(()).label("space", told(&request.context, "space_guid")))
    }
}

crate::bind_nothing! {
    Crossing: Proxied => RouteService = |new| {
        let route = new.bind_resource.route.ok_or_else(|| BindError::refused("Only routes can be bound."))?;
        RouteService::proxied(format!("https://crossing.example.com/{route}"))?
    };
    Crossing: Inline => RouteService = |_new| RouteService::out_of_band();
    Crossing: Tap => (Credentials<TapKey>, LogDrain) = |new| (
        Credentials(TapKey { user: new.id().to_owned() }),
        LogDrain::from_static("syslog-tls://crossing.example.com:6514"),
    );
}

/// The crossing's broker.
#[broker]
#[derive(Debug)]
pub struct RouteServiceBroker {
    /// Its only service.
    pub crossing: Crossing,
}

/// The ids, for requests.
pub mod ids {
    /// The service.
    pub const CROSSING: &str = "2b1d0c5e-7f0a-4c57-9d55-0f9a3f6f7c01";
    /// With a URL for the platform.
    pub const PROXIED: &str = "2b1d0c5e-7f0a-4c57-9d55-0f9a3f6f7c02";
    /// Without one.
    pub const INLINE: &str = "2b1d0c5e-7f0a-4c57-9d55-0f9a3f6f7c03";
    /// With credentials and a log drain.
    pub const TAP: &str = "2b1d0c5e-7f0a-4c57-9d55-0f9a3f6f7c04";
}
