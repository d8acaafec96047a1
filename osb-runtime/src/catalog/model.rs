//! What a catalog says, as data that a constant can hold.

use serde_json::Value;

use crate::schema::{Schema, Violation};

/// A service offering: what `#[service]` says, and what follows from its plans.
#[derive(Debug, Clone, Copy)]
pub struct Offering {
    /// Its id, globally unique (CAT-11).
    pub id: &'static str,
    /// Its name, unique in the catalog (CAT-10).
    pub name: &'static str,
    /// What it is, in a sentence.
    pub description: &'static str,
    /// Its name for people, if it has one.
    pub display_name: Option<&'static str>,
    /// What it is, at length, if said.
    pub long_description: Option<&'static str>,
    /// Where its documentation is, if said.
    pub documentation_url: Option<&'static str>,
    /// Where help is, if said.
    pub support_url: Option<&'static str>,
    /// Where its picture is, or the picture itself as a `data:` URL, if said.
    pub image_url: Option<&'static str>,
    /// Its tags.
    pub tags: &'static [&'static str],
    /// Whether instances can be fetched (GETI-01).
    pub instances_retrievable: bool,
    /// Whether bindings can be fetched (GETB-01).
    pub bindings_retrievable: bool,
    /// Whether an update may bring nothing but a new context (UPD-03).
    pub allow_context_updates: bool,
    /// The OAuth client of the service's dashboard, if it has one.
    pub dashboard_client: Option<DashboardClient>,
    /// Its plans, retired ones included.
    pub plans: &'static [PlanInfo],
    /// The changes of plan that it supports.
    pub changes: &'static [PlanChange],
}

impl Offering {
    /// The offering of an attribute with mistakes: it has no id and offers nothing, so that no check finds another mistake.
    #[doc(hidden)]
    pub const INVALID: Self = Self {
        id: "",
        name: "",
        description: "",
        display_name: None,
        long_description: None,
        documentation_url: None,
        support_url: None,
        image_url: None,
        tags: &[],
        instances_retrievable: false,
        bindings_retrievable: false,
        allow_context_updates: false,
        dashboard_client: None,
        plans: &[],
        changes: &[],
    };

    /// The plan with this id, retired or not.
    #[must_use]
    pub fn plan(&self, id: &str) -> Option<&'static PlanInfo> {
        self.plans.iter().find(|plan| plan.spec.id == id)
    }

    /// Whether instances can move from one plan to another.
    #[must_use]
    pub fn changes(&self, from: &str, to: &str) -> bool {
        self.changes.iter().any(|change| change.from == from && change.to == to)
    }
}

/// A service and a plan by name, for logs and metrics; empty for what isn't known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) service: &'static str,
    pub(crate) plan: &'static str,
}

impl Named {
    /// Those with these ids.
    pub(crate) fn find(offerings: &[&'static Offering], service_id: Option<&str>, plan_id: Option<&str>) -> Self {
        let offering = service_id.and_then(|id| offerings.iter().find(|offering| offering.id == id));
        let plan = offering.zip(plan_id).and_then(|(offering, id)| offering.plan(id));
        Self {
            service: offering.map(|offering| offering.name).unwrap_or_default(),
            plan: plan.map(|plan| plan.spec.name).unwrap_or_default(),
        }
    }
}

/// A change of plan that an offering supports.
#[derive(Debug, Clone, Copy)]
pub struct PlanChange {
    /// The id of the plan to leave.
    pub from: &'static str,
    /// The id of the plan to go to.
    pub to: &'static str,
}

/// The OAuth client for a service's dashboard (PROF-20).
#[derive(Debug, Clone, Copy)]
pub struct DashboardClient {
    /// The client's id, unique in the catalog.
    pub id: &'static str,
    /// The environment variable that holds the client's secret: a constant is no place for it.
    pub secret_env: &'static str,
    /// Where the platform sends users back to. Cloud Foundry demands it.
    pub redirect_uri: &'static str,
}

/// What `#[plan]` says.
#[derive(Debug, Clone, Copy)]
pub struct PlanSpec {
    /// Its id, globally unique (CAT-30).
    pub id: &'static str,
    /// Its name, unique in the offering (CAT-31).
    pub name: &'static str,
    /// What it is, in a sentence.
    pub description: &'static str,
    /// Its name for people, if it has one.
    pub display_name: Option<&'static str>,
    /// What it offers, point by point.
    pub bullets: &'static [&'static str],
    /// What it costs, in words: `9.90 USD monthly`.
    pub costs: &'static [&'static str],
    /// Whether it costs nothing.
    pub free: bool,
    /// Whether instances can be bound.
    pub bindable: bool,
    /// Whether a binding can succeed another one (ROT-01).
    pub rotatable: bool,
    /// Whether a binding needs an application (BIND-12).
    pub requires_app: bool,
    /// Whether it is hidden from the catalog and lives on only for the instances that have it.
    pub retired: bool,
    /// Whether platforms are answered before the work is done.
    pub asynchronous: Asynchronous,
    /// For how many seconds a platform asks whether an operation is done before it gives up (CAT-39); the platform
    /// decides if not said.
    pub maximum_polling_duration: Option<u32>,
    /// The version of what runs under this plan, if it has one.
    pub maintenance: Option<Maintenance>,
    #[doc(hidden)]
    pub json: PlanJson,
}

impl PlanSpec {
    /// The plan of an attribute with mistakes: it has no id and promises nothing, so that no check finds another mistake.
    #[doc(hidden)]
    pub const INVALID: Self = Self {
        id: "",
        name: "",
        description: "",
        display_name: None,
        bullets: &[],
        costs: &[],
        free: true,
        bindable: true,
        rotatable: false,
        requires_app: false,
        retired: false,
        asynchronous: Asynchronous::ADAPTIVE,
        maximum_polling_duration: None,
        maintenance: None,
        json: PlanJson { head: "{", tail: "" },
    };
}

/// Which operations of a plan are asynchronous: answered with 202 before the work is done, so that the platform polls
/// for the result (ASY-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asynchronous {
    /// Creating, updating and deleting instances.
    pub instances: Mode,
    /// Making and deleting bindings.
    pub bindings: Mode,
}

impl Asynchronous {
    /// Whatever takes more than a moment.
    pub const ADAPTIVE: Self = Self { instances: Mode::Adaptive, bindings: Mode::Adaptive };
}

/// When an operation is asynchronous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// If the work takes more than a moment, and the platform accepts it.
    Adaptive,
    /// Always; a platform that does not accept it is refused with `AsyncRequired` (ASY-05).
    Always,
    /// Never: the answer comes when the work is done.
    Never,
}

/// `maintenance_info` (CAT-40).
#[derive(Debug, Clone, Copy)]
pub struct Maintenance {
    /// A semantic version.
    pub version: &'static str,
    /// What the maintenance means for users, if said.
    pub description: Option<&'static str>,
}

/// The parts of a plan's JSON that its own tokens decide.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct PlanJson {
    /// `{"id":…` up to `free`.
    pub head: &'static str,
    /// From `maximum_polling_duration` on, each member with a comma before it.
    pub tail: &'static str,
}

/// The parts of an offering's JSON that its own tokens decide.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct OfferingJson {
    /// `{"name":…` up to `tags`.
    pub head: &'static str,
    /// `metadata` and `dashboard_client`, each with a comma before it.
    pub middle: &'static str,
    /// Extension fields, each with a comma before it.
    pub tail: &'static str,
}

/// A plan as its offering offers it.
#[derive(Debug, Clone, Copy)]
pub struct PlanInfo {
    /// What the plan says of itself.
    pub spec: PlanSpec,
    /// The parameters of a new instance, if there are any.
    pub create: Option<ParametersInfo>,
    /// The parameters of an update, if there are any.
    pub update: Option<ParametersInfo>,
    /// The parameters of a binding, if there are any.
    pub bind: Option<ParametersInfo>,
    /// Whether instances can leave this plan for another one.
    pub updateable: bool,
    /// What bindings need of the platform.
    pub requires: Requires,
    /// What a binding hands out, if it is known.
    pub credentials: Option<&'static Schema>,
}

/// The parameters of one operation.
#[derive(Debug, Clone, Copy)]
pub struct ParametersInfo {
    /// What they may be.
    pub schema: &'static Schema,
    /// The same as published; empty where only the running program knows it.
    pub json: &'static [u8],
    /// Says what is wrong with the parameters of a request.
    pub check: fn(&Value) -> Result<(), Vec<Violation>>,
}

/// `requires`: what the platform has to allow for bindings to work (CAT-14).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requires {
    /// `syslog_drain`
    pub syslog_drain: bool,
    /// `route_forwarding`
    pub route_forwarding: bool,
    /// `volume_mount`
    pub volume_mount: bool,
}

impl Requires {
    /// Nothing.
    pub const NONE: Self = Self { syslog_drain: false, route_forwarding: false, volume_mount: false };

    /// What either needs.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            syslog_drain: self.syslog_drain || other.syslog_drain,
            route_forwarding: self.route_forwarding || other.route_forwarding,
            volume_mount: self.volume_mount || other.volume_mount,
        }
    }
}
