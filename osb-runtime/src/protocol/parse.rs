//! Parsing of HTTP requests into typed requests, one method for each type.

use std::{borrow::Cow, collections::BTreeMap};

use http::StatusCode;
use serde_json::Value;

use super::{
    Answer, ApiVersion, BindResource, BindingId, DeleteResource, Endpoint, GetLastOperation, GetResource, Guids,
    InstanceId, MalformedDelete, PatchInstance, Policies, PreviousValues, PutBinding, PutInstance, Request,
    RequestMeta, Target,
    body::{Fields, Problems},
    uri::Query,
};
use crate::json::LazyObject;

/// The error for a malformed request: 400 with this description (ERR-12), which names fields, never values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(pub(super) String);

impl Malformed {
    pub(crate) fn new(description: impl Into<String>) -> Self {
        Self(description.into())
    }

    /// Returns the error answer (ERR-12).
    pub(crate) fn answer(&self) -> Answer {
        Answer::error(StatusCode::BAD_REQUEST, None, format!("The request is malformed: {}.", self.0))
    }
}

/// A request whose query and body have not been parsed.
pub(crate) struct Unparsed<'a> {
    pub(crate) policies: &'a Policies,
    pub(crate) meta: RequestMeta,
    pub(crate) query: Query<'a>,
    pub(crate) body: &'a [u8],
}

impl Unparsed<'_> {
    /// Parses the request for an endpoint; `None` for the catalog, which takes nothing.
    pub(crate) fn parse(self, endpoint: Endpoint, target: Target) -> Result<Option<Request>, Malformed> {
        Ok(Some(match (endpoint, target) {
            (Endpoint::Catalog, Target::Catalog) => return Ok(None),
            (Endpoint::Provision, Target::Instance(id)) => Request::Provision(self.provision(id)?.into()),
            (Endpoint::Update, Target::Instance(id)) => Request::Update(self.update(id)?.into()),
            (Endpoint::FetchInstance, Target::Instance(id)) => Request::FetchInstance(self.fetch(id)?),
            (Endpoint::Deprovision, Target::Instance(id)) => Request::Deprovision(self.delete(endpoint, id)?),
            (Endpoint::PollInstance, Target::Instance(id)) => Request::Poll(self.poll(id, None)?),
            (Endpoint::Bind, Target::Binding(instance, id)) => Request::Bind(self.bind(instance, id)?.into()),
            (Endpoint::FetchBinding, Target::Binding(instance, id)) => Request::FetchBinding(id, self.fetch(instance)?),
            (Endpoint::Unbind, Target::Binding(instance, id)) => Request::Unbind(id, self.delete(endpoint, instance)?),
            (Endpoint::PollBinding, Target::Binding(instance, id)) => Request::Poll(self.poll(instance, Some(id))?),
            (endpoint, target) => unreachable!("one path has both {endpoint:?} and {target:?}"),
        }))
    }

    /// `PUT /v2/service_instances/{id}`
    pub(crate) fn provision(self, instance: InstanceId) -> Result<PutInstance, Malformed> {
        let Self { policies, mut meta, query, body } = self;
        let body = Fields::of_body(body)?;
        let mut problems = Problems::default();
        meta.accepts_incomplete = problems.take(accepts_incomplete(&query)) || accepts_in_body(policies, &meta, &body);

        let service_id = body.mandatory("service_id", &mut problems);
        let plan_id = body.mandatory("plan_id", &mut problems);
        let context = body.context(&mut problems);

        // Specifications before 2.12 require the GUIDs, but also allow a context in their place (S12).
        let optional = match policies.guids {
            Guids::Required => meta.version < ApiVersion::new(2, 12) && context.is_some(),
            Guids::Optional => true,
        };
        let mut guid = |name| {
            if optional {
                let in_context = || context.as_ref()?.string(name).filter(|guid| !guid.is_empty());
                body.text(name, &mut problems).or_else(in_context)
            } else {
                Some(body.mandatory(name, &mut problems))
            }
        };
        let organization_guid = guid("organization_guid");
        let space_guid = guid("space_guid");

        let request = PutInstance {
            instance,
            service_id,
            plan_id,
            context: context.unwrap_or_else(|| {
                context_from_guids(meta.version, organization_guid.as_deref(), space_guid.as_deref())
            }),
            organization_guid,
            space_guid,
            parameters: Value::Object(body.object("parameters", &mut problems).unwrap_or_default()).into(),
            maintenance_version: maintenance_version(&body, &mut problems),
            meta,
        };
        problems.into_result(request)
    }

    /// `PATCH /v2/service_instances/{id}`
    pub(crate) fn update(self, instance: InstanceId) -> Result<PatchInstance, Malformed> {
        let Self { policies, mut meta, query, body } = self;
        let body = Fields::of_body(body)?;
        let mut problems = Problems::default();
        meta.accepts_incomplete = problems.take(accepts_incomplete(&query)) || accepts_in_body(policies, &meta, &body);

        let previous = body.fields("previous_values", "previous_values.", &mut problems);
        let context = body.context(&mut problems);
        // Earlier versions specified the context inside `previous_values` (S13).
        let earlier_context = previous.as_ref().and_then(|previous| previous.context(&mut problems));
        let mut previous = |name| previous.as_ref()?.text(name, &mut problems);
        let previous = PreviousValues { service_id: previous("service_id"), plan_id: previous("plan_id") };

        let request = PatchInstance {
            instance,
            // Not sent before 2.6 (T29).
            service_id: if meta.version < ApiVersion::new(2, 6) {
                body.non_empty("service_id", &mut problems)
            } else {
                Some(body.mandatory("service_id", &mut problems))
            },
            plan_id: body.non_empty("plan_id", &mut problems),
            context: context.or(earlier_context),
            parameters: body.object("parameters", &mut problems),
            maintenance_version: maintenance_version(&body, &mut problems),
            previous,
            meta,
        };
        problems.into_result(request)
    }

    /// `PUT /v2/service_instances/{id}/service_bindings/{id}`
    pub(crate) fn bind(self, instance: InstanceId, binding: BindingId) -> Result<PutBinding, Malformed> {
        let Self { policies, mut meta, query, body } = self;
        let body = Fields::of_body(body)?;
        let mut problems = Problems::default();
        meta.accepts_incomplete = problems.take(accepts_incomplete_binding(policies, meta.version, &query));

        let predecessor: Option<BindingId> = body.id("predecessor_binding_id", &mut problems);
        // On a rotation the ids are optional, because the predecessor has them (T32).
        let mut catalog_id = |name| match predecessor {
            Some(_) => body.non_empty(name, &mut problems),
            None => Some(body.mandatory(name, &mut problems)),
        };
        let request = PutBinding {
            instance,
            binding,
            service_id: catalog_id("service_id"),
            plan_id: catalog_id("plan_id"),
            context: body.context(&mut problems),
            bind_resource: bind_resource(&body, &mut problems),
            parameters: Value::Object(body.object("parameters", &mut problems).unwrap_or_default()).into(),
            predecessor,
            meta,
        };
        problems.into_result(request)
    }

    /// `DELETE` of an instance or a binding.
    pub(crate) fn delete(self, endpoint: Endpoint, instance: InstanceId) -> Result<DeleteResource, Malformed> {
        let Self { policies, mut meta, query, .. } = self;
        let mut problems = Problems::default();
        let (accepts_incomplete, policy) = match endpoint {
            Endpoint::Unbind => (accepts_incomplete_binding(policies, meta.version, &query), policies.malformed_unbind),
            _ => (accepts_incomplete(&query), policies.malformed_deprovision),
        };
        meta.accepts_incomplete = problems.take(accepts_incomplete);
        let mut mandatory = |name| problems.take(mandatory(&query, name));
        let (service_id, plan_id) = (mandatory("service_id"), mandatory("plan_id"));
        let malformed = match problems.into_result(()) {
            Err(malformed) if policy == MalformedDelete::BadRequest => return Err(malformed),
            checked => checked.err(),
        };
        Ok(DeleteResource { meta, instance, service_id, plan_id, malformed })
    }

    /// `GET` of an instance or a binding.
    pub(crate) fn fetch(self, instance: InstanceId) -> Result<GetResource, Malformed> {
        let mut problems = Problems::default();
        let mut hint = |name| problems.take(hint(&self.query, name));
        let request =
            GetResource { meta: self.meta, instance, service_id: hint("service_id"), plan_id: hint("plan_id") };
        problems.into_result(request)
    }

    /// `GET` of a `last_operation`. Cloud Foundry interprets a 400 as failure of the operation, so only undecodable values are
    /// refused (T39).
    pub(crate) fn poll(self, instance: InstanceId, binding: Option<BindingId>) -> Result<GetLastOperation, Malformed> {
        let mut problems = Problems::default();
        let mut hint = |name| problems.take(hint(&self.query, name));
        let request = GetLastOperation {
            meta: self.meta,
            instance,
            binding,
            operation: hint("operation"),
            service_id: hint("service_id"),
            plan_id: hint("plan_id"),
        };
        problems.into_result(request)
    }
}

/// Returns an optional query parameter. An empty one counts as absent.
fn hint(query: &Query<'_>, name: &str) -> Result<Option<String>, Malformed> {
    Ok(query.get(name)?.filter(|text| !text.is_empty()).map(Cow::into_owned))
}

/// Returns a required query parameter (UNB-02, DEP-03).
fn mandatory(query: &Query<'_>, name: &str) -> Result<String, Malformed> {
    match query.get(name)? {
        Some(text) if !text.is_empty() => Ok(text.into_owned()),
        Some(_) => Err(Malformed(format!("the query parameter `{name}` must not be empty"))),
        None => Err(Malformed(format!("the query parameter `{name}` is missing"))),
    }
}

/// Parses `accepts_incomplete`: whether the platform accepts asynchronous operations (T36).
fn accepts_incomplete(query: &Query<'_>) -> Result<bool, Malformed> {
    match query.get("accepts_incomplete")?.as_deref() {
        Some("true") => Ok(true),
        Some("false") | None => Ok(false),
        Some(_) => Err(Malformed::new("the query parameter `accepts_incomplete` must be `true` or `false`")),
    }
}

/// Parses `accepts_incomplete` for bindings, which are synchronous in older versions (G3).
fn accepts_incomplete_binding(policies: &Policies, version: ApiVersion, query: &Query<'_>) -> Result<bool, Malformed> {
    if version < policies.asynchronous_bindings_since { Ok(false) } else { accepts_incomplete(query) }
}

/// Returns whether the body has `accepts_incomplete`, which 2.7 to 2.11 list among its fields (S11).
fn accepts_in_body(policies: &Policies, meta: &RequestMeta, body: &Fields<'_>) -> bool {
    policies.accepts_incomplete_in_body
        && (ApiVersion::new(2, 7)..ApiVersion::new(2, 12)).contains(&meta.version)
        && body.flag("accepts_incomplete")
}

/// Takes `maintenance_info.version`, the only field that has a meaning (PROV-08).
fn maintenance_version(body: &Fields<'_>, problems: &mut Problems) -> Option<String> {
    body.fields("maintenance_info", "maintenance_info.", problems)?.text("version", problems)
}

fn bind_resource(body: &Fields<'_>, problems: &mut Problems) -> BindResource {
    let mut fields = body.object("bind_resource", problems).unwrap_or_default();
    let known = body.fields("bind_resource", "bind_resource.", &mut Problems::default());
    // Before 2.8 it was at the top level, and Cloud Foundry still sends it there too (S09, T35).
    let top_level = body.text("app_guid", problems);
    let mut known = |name| known.as_ref()?.text(name, problems);
    let app_guid = known("app_guid").or(top_level);
    if let Some(guid) = &app_guid {
        fields.insert("app_guid".to_owned(), guid.as_str().into());
    }
    BindResource {
        app_guid,
        route: known("route"),
        space_guid: known("space_guid"),
        credential_client_id: known("credential_client_id"),
        fields,
    }
}

/// Creates a context for a request without one. Versions before 2.12 have no contexts; only Cloud Foundry uses them.
fn context_from_guids(version: ApiVersion, organization: Option<&str>, space: Option<&str>) -> LazyObject {
    let platform = (version < ApiVersion::new(2, 12)).then_some("cloudfoundry");
    let members = [("platform", platform), ("organization_guid", organization), ("space_guid", space)];
    members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect::<BTreeMap<_, _>>().into()
}
