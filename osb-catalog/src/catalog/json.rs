//! The writer of the catalog's JSON in constants, with the fields in the specification's order.
//!
//! Each offering is a constant, and the catalog is their concatenation, so that the compiler visits each plan once.
//! Each plan has `bindable`, `plan_updateable`, `binding_rotatable` and `free`, although they are optional in the
//! specification, because platforms have different defaults (T45, S24).

use super::model::{Offering, OfferingJson, ParametersInfo, PlanInfo, Requires};
use crate::schema::json::Writer;

/// Returns the length of the JSON of an offering in bytes.
#[must_use]
pub const fn measure_offering(offering: &Offering, json: &OfferingJson) -> usize {
    let mut empty = [];
    let mut writer = Writer::measuring(&mut empty);
    write_offering(&mut writer, offering, json);
    writer.len()
}

/// Writes the JSON of an offering. `LEN` is the result of [`measure_offering`].
#[must_use]
pub const fn render_offering<const LEN: usize>(offering: &Offering, json: &OfferingJson) -> [u8; LEN] {
    let mut out = [0; LEN];
    write_offering(&mut Writer::filling(&mut out), offering, json);
    out
}

/// Returns the JSON of a plan that a deployment lists.
pub(super) fn plan(plan: &PlanInfo) -> Vec<u8> {
    let mut empty = [];
    let mut writer = Writer::measuring(&mut empty);
    write_plan(&mut writer, plan);
    let mut out = vec![0; writer.len()];
    write_plan(&mut Writer::filling(&mut out), plan);
    out
}

/// Returns the length of the JSON of a catalog in bytes.
#[must_use]
pub const fn measure_catalog(offerings: &[&[u8]]) -> usize {
    let mut empty = [];
    let mut writer = Writer::measuring(&mut empty);
    write_catalog(&mut writer, offerings);
    writer.len()
}

/// Writes the JSON of a catalog. `LEN` is the result of [`measure_catalog`].
#[must_use]
pub const fn render_catalog<const LEN: usize>(offerings: &[&[u8]]) -> [u8; LEN] {
    let mut out = [0; LEN];
    write_catalog(&mut Writer::filling(&mut out), offerings);
    out
}

const fn write_catalog(writer: &mut Writer<'_>, offerings: &[&[u8]]) {
    writer.raw("{\"services\":[");
    let mut i = 0;
    while i < offerings.len() {
        if i > 0 {
            writer.raw(",");
        }
        writer.bytes(offerings[i]);
        i += 1;
    }
    writer.raw("]}");
}

const fn write_offering(writer: &mut Writer<'_>, offering: &Offering, json: &OfferingJson) {
    let (mut bindable, mut updateable, mut requires) = (false, false, Requires::NONE);
    let mut i = 0;
    while i < offering.plans.len() {
        let plan = &offering.plans[i];
        if !plan.spec.retired {
            bindable |= plan.spec.bindable;
            updateable |= plan.updateable;
        }
        // Instances of a retired plan can still be bound, and platforms reject output without a matching `requires`.
        requires = requires.or(plan.requires);
        i += 1;
    }
    writer.raw(json.head);
    write_requires(writer, requires);
    writer.flag(",\"bindable\":", bindable);
    writer.flag(",\"instances_retrievable\":", offering.instances_retrievable);
    writer.flag(",\"bindings_retrievable\":", offering.bindings_retrievable && bindable);
    writer.flag(",\"allow_context_updates\":", offering.allow_context_updates);
    writer.raw(json.middle);
    writer.flag(",\"plan_updateable\":", updateable);
    writer.raw(",\"plans\":[");
    let (mut i, mut first) = (0, true);
    while i < offering.plans.len() {
        if !offering.plans[i].spec.retired {
            if !first {
                writer.raw(",");
            }
            first = false;
            write_plan(writer, &offering.plans[i]);
        }
        i += 1;
    }
    writer.raw("]");
    writer.raw(json.tail);
    writer.raw("}");
}

const fn write_requires(writer: &mut Writer<'_>, requires: Requires) {
    if let Some(list) = requires_list(requires) {
        writer.raw(",\"requires\":");
        writer.raw(list);
    }
}

/// Returns the member `requires` of an offering.
pub(super) const fn requires_list(requires: Requires) -> Option<&'static str> {
    Some(match (requires.syslog_drain, requires.route_forwarding, requires.volume_mount) {
        (false, false, false) => return None,
        (true, false, false) => "[\"syslog_drain\"]",
        (false, true, false) => "[\"route_forwarding\"]",
        (false, false, true) => "[\"volume_mount\"]",
        (true, true, false) => "[\"syslog_drain\",\"route_forwarding\"]",
        (true, false, true) => "[\"syslog_drain\",\"volume_mount\"]",
        (false, true, true) => "[\"route_forwarding\",\"volume_mount\"]",
        (true, true, true) => "[\"syslog_drain\",\"route_forwarding\",\"volume_mount\"]",
    })
}

const fn write_plan(writer: &mut Writer<'_>, plan: &PlanInfo) {
    writer.raw(plan.spec.json.head);
    writer.flag(",\"bindable\":", plan.spec.bindable);
    writer.flag(",\"binding_rotatable\":", plan.spec.rotatable);
    writer.flag(",\"plan_updateable\":", plan.updateable);
    if plan.create.is_some() || plan.update.is_some() || plan.bind.is_some() {
        writer.raw(",\"schemas\":{");
        if plan.create.is_some() || plan.update.is_some() {
            writer.raw("\"service_instance\":{");
            write_schema(writer, "\"create\":{\"parameters\":", plan.create.as_ref());
            if plan.create.is_some() && plan.update.is_some() {
                writer.raw(",");
            }
            write_schema(writer, "\"update\":{\"parameters\":", plan.update.as_ref());
            writer.raw(if plan.bind.is_some() { "}," } else { "}" });
        }
        if plan.bind.is_some() {
            writer.raw("\"service_binding\":{");
            write_schema(writer, "\"create\":{\"parameters\":", plan.bind.as_ref());
            writer.raw("}");
        }
        writer.raw("}");
    }
    writer.raw(plan.spec.json.tail);
    writer.raw("}");
}

const fn write_schema(writer: &mut Writer<'_>, before: &str, parameters: Option<&ParametersInfo>) {
    if let Some(parameters) = parameters {
        writer.raw(before);
        // The schema of a foreign type is inserted at start-up.
        writer.bytes(if parameters.json.is_empty() { b"{}" } else { parameters.json });
        writer.raw("}");
    }
}
