//! The writer of the catalog's JSON in constants, with the fields in the specification's order.
//!
//! Each offering is a constant, and the catalog is their concatenation, so that the compiler visits each plan once.
//! Each plan has `bindable`, `plan_updateable`, `binding_rotatable` and `free`, although they are optional in the
//! specification, because platforms have different defaults (T45, S24).

use super::model::{Offering, OfferingJson, ParametersInfo, PlanInfo, Requires};
use crate::schema::json::{Writer, separated};

macro_rules! flags {
    ($bindable:literal, $rotatable:literal, $updateable:literal) => {
        const {
            let flags = concat!(
                ",\"bindable\":",
                $bindable,
                ",\"binding_rotatable\":",
                $rotatable,
                ",\"plan_updateable\":",
                $updateable
            );
            flags.as_bytes()
        }
    };
}

/// Returns the length of the JSON of an offering in bytes.
#[must_use]
pub const fn measure_offering(offering: &Offering, json: &OfferingJson) -> usize {
    write_offering(Writer::measuring(&mut []), offering, json).len()
}

/// Writes the JSON of an offering. `LEN` is the result of [`measure_offering`].
#[must_use]
pub const fn render_offering<const LEN: usize>(offering: &Offering, json: &OfferingJson) -> [u8; LEN] {
    let mut out = [0; LEN];
    write_offering(Writer::filling(&mut out), offering, json);
    out
}

/// Returns the JSON of a plan that a deployment lists.
pub(super) fn plan(plan: &PlanInfo) -> Vec<u8> {
    let mut out = vec![0; write_plan(Writer::measuring(&mut []), plan).len()];
    write_plan(Writer::filling(&mut out), plan);
    out
}

/// Returns the length of the JSON of a catalog in bytes.
#[must_use]
pub const fn measure_catalog(offerings: &[&[u8]]) -> usize {
    write_catalog(Writer::measuring(&mut []), offerings).len()
}

/// Writes the JSON of a catalog. `LEN` is the result of [`measure_catalog`].
#[must_use]
pub const fn render_catalog<const LEN: usize>(offerings: &[&[u8]]) -> [u8; LEN] {
    let mut out = [0; LEN];
    write_catalog(Writer::filling(&mut out), offerings);
    out
}

const fn write_catalog<'a>(mut writer: Writer<'a>, offerings: &[&[u8]]) -> Writer<'a> {
    writer = writer.bytes(b"{\"services\":[");
    separated!(writer, i in offerings, writer.bytes(offerings[i]));
    writer.bytes(b"]}")
}

const fn write_offering<'a>(mut writer: Writer<'a>, offering: &Offering, json: &OfferingJson) -> Writer<'a> {
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
    writer = writer.raw(json.head);
    if let Some(list) = requires_list(requires) {
        writer = writer.bytes(b",\"requires\":").raw(list);
    }
    writer = writer
        .flag(b",\"bindable\":", bindable)
        .flag(b",\"instances_retrievable\":", offering.instances_retrievable)
        .flag(b",\"bindings_retrievable\":", offering.bindings_retrievable && bindable)
        .flag(b",\"allow_context_updates\":", offering.allow_context_updates)
        .raw(json.middle)
        .flag(b",\"plan_updateable\":", updateable)
        .bytes(b",\"plans\":[");
    let (mut i, mut first) = (0, true);
    while i < offering.plans.len() {
        if !offering.plans[i].spec.retired {
            if !first {
                writer = writer.bytes(b",");
            }
            first = false;
            writer = write_plan(writer, &offering.plans[i]);
        }
        i += 1;
    }
    writer.bytes(b"]").raw(json.tail).bytes(b"}")
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

/// Writes a plan in few pieces, because const evaluation takes longest for calls.
const fn write_plan<'a>(mut writer: Writer<'a>, plan: &PlanInfo) -> Writer<'a> {
    let spec = &plan.spec;
    writer = writer.raw(spec.json.head).bytes(match (spec.bindable, spec.rotatable, plan.updateable) {
        (false, false, false) => flags!(false, false, false),
        (false, false, true) => flags!(false, false, true),
        (false, true, false) => flags!(false, true, false),
        (false, true, true) => flags!(false, true, true),
        (true, false, false) => flags!(true, false, false),
        (true, false, true) => flags!(true, false, true),
        (true, true, false) => flags!(true, true, false),
        (true, true, true) => flags!(true, true, true),
    });
    // The beginning of each schema: as the first one, and after others.
    let schemas: [(&Option<ParametersInfo>, &[u8], &[u8]); 3] = [
        (&plan.create, b",\"schemas\":{\"service_instance\":{\"create\":{\"parameters\":", b""),
        (
            &plan.update,
            b",\"schemas\":{\"service_instance\":{\"update\":{\"parameters\":",
            b"},\"update\":{\"parameters\":",
        ),
        (
            &plan.bind,
            b",\"schemas\":{\"service_binding\":{\"create\":{\"parameters\":",
            b"}},\"service_binding\":{\"create\":{\"parameters\":",
        ),
    ];
    let (mut at, mut is_open) = (0, false);
    while at < schemas.len() {
        if let (Some(parameters), first, next) = &schemas[at] {
            // The schema of a foreign type is inserted at start-up.
            let json = if parameters.json.is_empty() { b"{}" } else { parameters.json };
            writer = writer.bytes(if is_open { next } else { first }).bytes(json);
            is_open = true;
        }
        at += 1;
    }
    writer = writer.bytes(if is_open { b"}}}" } else { b"" });
    writer.raw(spec.json.tail).bytes(b"}")
}

#[cfg(test)]
#[path = "../../tests/unit/catalog_json.rs"]
mod tests;
