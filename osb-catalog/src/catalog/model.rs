//! The model of the catalog: plain data for constants.

use std::{any::Any, fmt};

use serde::Serialize;
use serde_json::Value;

use crate::{
    schema::{Schema, Violation},
    text::hash_ignoring_case,
};

/// A service offering: the arguments of `#[service]`, and its plans.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Offering {
    /// The id, which is globally unique (CAT-11).
    pub id: &'static str,
    /// The name, which is unique in the catalog (CAT-10).
    pub name: &'static str,
    /// A short description.
    pub description: &'static str,
    /// The display name.
    pub display_name: Option<&'static str>,
    /// A long description.
    pub long_description: Option<&'static str>,
    /// The URL of the documentation.
    pub documentation_url: Option<&'static str>,
    /// The URL for support.
    pub support_url: Option<&'static str>,
    /// The URL of an image, or the image itself as a `data:` URL.
    pub image_url: Option<&'static str>,
    /// The tags.
    pub tags: &'static [&'static str],
    /// `true` if instances can be fetched (GETI-01).
    pub instances_retrievable: bool,
    /// `true` if bindings can be fetched (GETB-01).
    pub bindings_retrievable: bool,
    /// `true` if platforms may send updates that contain only a new context (UPD-03).
    pub allow_context_updates: bool,
    /// The OAuth client of the service's dashboard.
    pub dashboard_client: Option<DashboardClient>,
    /// The plans, including retired ones.
    pub plans: &'static [PlanInfo],
    /// The families. Their plans, which a deployment lists, are in `plans`.
    #[serde(skip)]
    pub families: &'static [PlanInfo],
    /// The supported changes of plan, and of families.
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
        families: &[],
        changes: &[],
    };

    /// Returns the plan with this id, retired or not.
    #[must_use]
    pub fn plan(&self, id: &str) -> Option<&'static PlanInfo> {
        self.plans.iter().find(|plan| plan.spec.id == id)
    }

    /// Returns the plan or the family at a position, first the plans.
    pub(super) const fn plan_or_family(&self, at: usize) -> Option<&'static PlanInfo> {
        if at < self.plans.len() {
            Some(&self.plans[at])
        } else if at - self.plans.len() < self.families.len() {
            Some(&self.families[at - self.plans.len()])
        } else {
            None
        }
    }

    /// Returns whether instances can move from one plan to another, given by their ids.
    #[must_use]
    pub fn changes(&self, from: &str, to: &str) -> bool {
        self.changes.iter().any(|change| change.from == from && change.to == to)
    }
}

/// The names of a service and a plan, for logs and metrics. Unknown names are empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanNames {
    /// The name of the service.
    pub service: &'static str,
    /// The name of the plan.
    pub plan: &'static str,
}

impl PlanNames {
    /// Returns the names of the service and the plan with these ids.
    #[must_use]
    pub fn find(offerings: &[&'static Offering], service_id: Option<&str>, plan_id: Option<&str>) -> Self {
        let offering = service_id.and_then(|id| offerings.iter().find(|offering| offering.id == id));
        let plan = offering.zip(plan_id).and_then(|(offering, id)| offering.plan(id));
        Self {
            service: offering.map(|offering| offering.name).unwrap_or_default(),
            plan: plan.map(|plan| plan.spec.name).unwrap_or_default(),
        }
    }
}

/// A change of plan that an offering supports.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PlanChange {
    /// The id of the old plan.
    pub from: &'static str,
    /// The id of the new plan.
    pub to: &'static str,
}

/// The OAuth client of a service's dashboard (PROF-20).
#[derive(Debug, Clone, Copy, Serialize)]
pub struct DashboardClient {
    /// The client's id, which is unique in the catalog.
    pub id: &'static str,
    /// The environment variable with the client's secret, which must not be part of the program.
    pub secret_env: &'static str,
    /// The URL to which the platform redirects users after login. Cloud Foundry requires it.
    pub redirect_uri: &'static str,
}

/// The arguments of `#[plan]`.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PlanSpec {
    /// The id, which is globally unique (CAT-30); of a family its name.
    pub id: &'static str,
    /// The name, which is unique in the offering (CAT-31).
    pub name: &'static str,
    /// A short description.
    pub description: &'static str,
    /// The display name.
    pub display_name: Option<&'static str>,
    /// The features, as bullet points.
    pub bullets: &'static [&'static str],
    /// The costs as text, such as `9.90 USD monthly`.
    pub costs: &'static [&'static str],
    /// `true` if the plan is free of charge.
    pub free: bool,
    /// `true` if instances can be bound.
    pub bindable: bool,
    /// `true` if bindings can be rotated (ROT-01).
    pub rotatable: bool,
    /// `true` if a binding needs an application (BIND-12).
    pub requires_app: bool,
    /// `true` if the plan is not in the catalog and exists only for its existing instances.
    pub retired: bool,
    /// The operations that are asynchronous.
    pub asynchronous: Asynchronous,
    /// Seconds that a platform polls an operation before it gives up (CAT-39). The platform's default if `None`.
    pub maximum_polling_duration: Option<u32>,
    /// The maintenance version.
    pub maintenance: Option<Maintenance>,
    #[doc(hidden)]
    #[serde(skip)]
    pub hashes: Hashes,
    #[doc(hidden)]
    #[serde(skip)]
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
        hashes: Hashes::of("", ""),
        json: PlanJson { head: "{", tail: "" },
    };
}

/// The asynchronous operations of a plan, which are answered with 202 before they are done, so the platform polls
/// for the result (ASY-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Asynchronous {
    /// Creating, updating and deleting instances.
    pub instances: Mode,
    /// Creating and deleting bindings.
    pub bindings: Mode,
}

impl Asynchronous {
    /// All operations are [`Mode::Adaptive`].
    pub const ADAPTIVE: Self = Self { instances: Mode::Adaptive, bindings: Mode::Adaptive };
}

/// The condition for an operation to be asynchronous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Asynchronous if the operation takes longer than a short wait, and the platform accepts it.
    Adaptive,
    /// Always asynchronous. A platform that does not accept that gets an `AsyncRequired` error (ASY-05).
    Always,
    /// Always synchronous: the answer is sent when the operation is done.
    Never,
}

/// `maintenance_info` (CAT-40).
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Maintenance {
    /// The semantic version.
    pub version: &'static str,
    /// The effect of the maintenance for users.
    pub description: Option<&'static str>,
}

/// Hashes of a plan's id and name without their case. Each plan is compared with all others in const evaluation, where a
/// comparison of strings takes a hundred times as long as one of numbers.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hashes {
    pub id: u64,
    pub name: u64,
}

impl Hashes {
    #[must_use]
    pub const fn of(id: &str, name: &str) -> Self {
        Self { id: hash_ignoring_case(id), name: hash_ignoring_case(name) }
    }
}

/// The parts of a plan's JSON that its attribute determines.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct PlanJson {
    /// `{"id":…` up to `free`.
    pub head: &'static str,
    /// From `maximum_polling_duration` on, each member with a comma before it.
    pub tail: &'static str,
}

/// The parts of an offering's JSON that its attribute determines.
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

/// A plan in its offering.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PlanInfo {
    /// The arguments of the plan's attribute.
    #[serde(flatten)]
    pub spec: PlanSpec,
    /// The parameters for creating an instance, if there are any.
    pub create: Option<ParametersInfo>,
    /// The parameters for updating an instance, if there are any.
    pub update: Option<ParametersInfo>,
    /// The parameters for creating a binding, if there are any.
    pub bind: Option<ParametersInfo>,
    /// `true` if instances can move from this plan to another one.
    pub updateable: bool,
    /// The permissions that bindings need.
    pub requires: Requires,
    /// The schema of the credentials, if there are any.
    pub credentials: Option<&'static Schema>,
    /// The types of the stored states.
    #[serde(skip)]
    pub states: StateTypes,
    /// The values that distinguish the plans of a family, if this is a family.
    pub family: Option<ParametersInfo>,
    /// The membership of a plan that a deployment lists.
    #[serde(skip)]
    pub member: Option<Member>,
}

impl PlanInfo {
    /// Returns the id of the plan in the program: that of its family if a deployment lists it.
    #[must_use]
    pub fn type_id(&self) -> &'static str {
        self.member.map_or(self.spec.id, |member| member.family)
    }
}

/// A plan as a member of a family.
#[derive(Clone, Copy)]
pub struct Member {
    /// The name of the family.
    pub family: &'static str,
    /// The values, of the type in the `family` argument of the plan's attribute.
    pub values: &'static (dyn Any + Send + Sync),
}

/// Leaves out the values, which may contain secrets.
impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("family", &self.family).finish_non_exhaustive()
    }
}

/// Returns the number of families, or of other plans.
#[doc(hidden)]
#[must_use]
pub const fn count_plans(all: &[PlanInfo], families: bool) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < all.len() {
        if all[at].family.is_some() == families {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Returns the families, or the other plans. `COUNT` is the result of [`count_plans`].
#[doc(hidden)]
#[must_use]
pub const fn select_plans<const COUNT: usize>(all: &[PlanInfo], families: bool) -> [PlanInfo; COUNT] {
    let mut selected = [all[0]; COUNT];
    let (mut at, mut to) = (0, 0);
    while at < all.len() {
        if all[at].family.is_some() == families {
            selected[to] = all[at];
            to += 1;
        }
        at += 1;
    }
    selected
}

/// The types of the stored states of a plan.
#[derive(Debug, Clone, Copy)]
pub struct StateTypes {
    /// The state of an instance.
    pub instance: StateInfo,
    /// The state of a binding.
    pub binding: StateInfo,
}

impl StateTypes {
    /// Accepts all states.
    pub const ANY: Self = Self { instance: StateInfo::ANY, binding: StateInfo::ANY };
}

/// A type of stored states.
#[derive(Debug, Clone, Copy)]
pub struct StateInfo {
    /// Its version in this release: `Provision::STATE_VERSION`.
    pub version: u32,
    /// Decodes a state as handlers get it. The arguments are those of `Provision::migrate_state`.
    pub decode: fn(u32, &Value) -> Result<Decoded, String>,
}

impl StateInfo {
    const ANY: Self = Self { version: u32::MAX, decode: |_, _| Ok(Box::new(())) };

    /// Returns whether a later release has saved a state, and this one can't decode it.
    ///
    /// ```
    /// use osb_catalog::StateInfo;
    /// use serde_json::json;
    ///
    /// let state = StateInfo {
    ///     version: 1,
    ///     decode: |_, value| match value.as_u64() {
    ///         Some(number) => Ok(Box::new(number)),
    ///         None => Err("no number".to_owned()),
    ///     },
    /// };
    /// assert!(state.is_outdated_for(2, &json!("two")));
    /// assert!(!state.is_outdated_for(2, &json!(2)), "`migrate_state` converts it");
    /// assert!(!state.is_outdated_for(1, &json!("one")), "of this release");
    /// ```
    #[must_use]
    pub fn is_outdated_for(&self, version: u32, value: &Value) -> bool {
        version > self.version && (self.decode)(version, value).is_err()
    }
}

/// The parameters of one operation.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct ParametersInfo {
    /// The schema.
    pub schema: &'static Schema,
    /// The schema as JSON; empty if it is known only at run time.
    #[serde(skip)]
    pub json: &'static [u8],
    /// Validates the parameters of a request by the schema, and decodes them.
    #[serde(skip)]
    pub decode: fn(&Schema, &Value) -> Result<Decoded, Vec<Violation>>,
    /// Decodes parameters that an earlier release may have accepted.
    #[serde(skip)]
    pub check_stored: fn(&Value) -> Result<(), Vec<Violation>>,
}

/// Decoded parameters, of the type that has the schema, or a decoded state.
pub type Decoded = Box<dyn Any + Send + Sync>;

impl ParametersInfo {
    /// Validates the parameters of a request.
    ///
    /// # Errors
    ///
    /// All violations.
    pub fn check(&self, value: &Value) -> Result<(), Vec<Violation>> {
        (self.decode)(self.schema, value).map(drop)
    }
}

/// `requires`: the permissions that a platform has to grant for bindings (CAT-14).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Requires {
    /// `syslog_drain`
    pub syslog_drain: bool,
    /// `route_forwarding`
    pub route_forwarding: bool,
    /// `volume_mount`
    pub volume_mount: bool,
}

impl Requires {
    /// No permissions.
    pub const NONE: Self = Self { syslog_drain: false, route_forwarding: false, volume_mount: false };

    /// Returns the union of the permissions.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            syslog_drain: self.syslog_drain || other.syslog_drain,
            route_forwarding: self.route_forwarding || other.route_forwarding,
            volume_mount: self.volume_mount || other.volume_mount,
        }
    }
}
