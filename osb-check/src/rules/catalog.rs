//! The catalog.

use super::{Rule, rules};

pub(super) const RULES: &[Rule] = rules! {
    "Catalog Management" {
        "CAT-01" Must 2 0
            "The catalog is answered 200 with an object whose `services` is an array, possibly empty."
        "CAT-02" May 2 13
            "Services and plans may be added, changed and removed from one fetch of the catalog to the next."
        "CAT-03" MustNot 2 13 from 2 11
            "The id of a service or plan never changes from one catalog to the next."
        "CAT-04" Recommended 2 14
            "No string is longer than 255 characters."
    }
    "Service Offering Object" {
        "CAT-05" Must 2 14
            "Names are case-sensitive."
        "CAT-06" Recommended 2 15 from 2 0
            "Names suit a command line: letters, digits, `.` and `-`, short and descriptive."
        "CAT-10" Must 2 13 from 2 0
            "A service has a `name` that is not empty and unique in the catalog."
        "CAT-11" Must 2 14 from 2 0
            "A service has an `id` that is not empty and globally unique, preferably a GUID."
        "CAT-12" Must 2 12 from 2 0
            "A service has a `description` that is not empty."
        "CAT-13" May 2 0
            "A service may have `tags`, which are strings."
        "CAT-14" Must 2 10 from 2 0
            "`requires` contains only `syslog_drain`, `route_forwarding` and `volume_mount`."
        "CAT-15" Must 2 0
            "A service has `bindable`, which applies to all plans that do not override it."
        "CAT-16" May 2 14
            "`instances_retrievable` states that instances can be fetched."
        "CAT-17" May 2 14
            "`bindings_retrievable` states that bindings can be fetched."
        "CAT-18" May 2 15
            "`allow_context_updates` states that updates of the context alone are accepted."
        "CAT-19" May 2 0
            "A service may have `metadata`, an object."
    }
    "Catalog Extensions" {
        "CAT-20" May 2 3
            "A service may have a `dashboard_client` for single sign-on."
    }
    "Service Offering Object" {
        "CAT-21" May 2 4
            "`plan_updateable`, spelled like this, states whether instances can change their plan; the default is no."
        "CAT-22" Must 2 12 from 2 0
            "A service has at least one plan."
    }
    "Service Plan Object" {
        "CAT-30" Must 2 14 from 2 0
            "A plan has an `id` that is not empty and globally unique, preferably a GUID."
        "CAT-31" Must 2 12 from 2 0
            "A plan has a `name` that is not empty and unique in its service."
        "CAT-32" Must 2 12 from 2 0
            "A plan has a `description` that is not empty."
        "CAT-33" May 2 0
            "A plan may have `metadata`, an object."
        "CAT-34" May 2 2
            "`free` states whether a plan is free of charge; the default is yes."
        "CAT-35" May 2 11
            "A plan's `bindable` overrides that of its service."
        "CAT-36" May 2 17
            "`binding_rotatable` states whether bindings of a plan can be rotated; the default is no."
        "CAT-37" May 2 15
            "A plan's `plan_updateable` overrides that of its service; it is about changes away from that plan."
        "CAT-38" May 2 13
            "A plan may have `schemas` of its parameters."
        "CAT-39" May 2 15
            "`maximum_polling_duration` is the maximum time in seconds for which a platform polls."
    }
    "Maintenance Info Object" {
        "CAT-40" Must 2 15
            "`maintenance_info` has a `version` that follows Semantic Versioning 2.0."
    }
    "Schemas Object" {
        "CAT-50" May 2 13
            "A plan may have schemas for creating and updating an instance and for creating a binding, each optional."
    }
    "Input Parameters Schema Object" {
        "CAT-51" Must 2 13
            "A schema names its dialect in `$schema`."
        "CAT-52" MustNot 2 13
            "A schema has no references outside of itself."
        "CAT-53" MustNot 2 13
            "A schema has at most 64 kB."
        "CAT-54" Platform 2 13
            "Platforms support JSON Schema draft-04; support for later drafts is not certain."
        "CAT-55" Must 2 13
            "A schema describes an object whose properties are the parameters."
    }
};
