//! The description of a service with one plan and given parameters, without handlers.

use osb_runtime::{
    catalog::{Offering, ParametersInfo, PlanInfo, PlanSpec, Requires, StateTypes},
    schema::Schema,
};

use crate::seed::leak;

/// The parameters of a plan's operations.
#[derive(Debug, Clone, Copy, Default)]
pub struct Operations {
    /// The parameters of a create request.
    pub create: Option<&'static Schema>,
    /// The parameters of an update.
    pub update: Option<&'static Schema>,
    /// The parameters of a bind request. The plan is bindable without them as well.
    pub bind: Option<&'static Schema>,
}

/// Returns the service `service` with the plan `plan`.
#[must_use]
pub fn offering(operations: Operations) -> Offering {
    let info = |schema| ParametersInfo { schema, json: b"", decode: |_, _| Ok(Box::new(())), check_stored: |_| Ok(()) };
    let spec = PlanSpec {
        id: "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02",
        name: "plan",
        description: "A plan.",
        ..PlanSpec::INVALID
    };
    let plan = PlanInfo {
        spec,
        create: operations.create.map(info),
        update: operations.update.map(info),
        bind: operations.bind.map(info),
        updateable: false,
        requires: Requires::NONE,
        credentials: None,
        states: StateTypes::ANY,
        family: None,
        member: None,
    };
    Offering {
        id: "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
        name: "service",
        description: "A service.",
        plans: leak([plan].into_iter()),
        ..Offering::INVALID
    }
}
