//! The catalog.

use super::{Rule, rules};

pub(super) const RULES: &[Rule] = rules! {
    "Catalog Management" {
        "CAT-01" Must 2 0
            "The catalog is answered 200 with an object whose `services` is an array, possibly an empty one."
        "CAT-02" May 2 13
            "Services and plans come, change and go from one fetch of the catalog to the next."
        "CAT-03" MustNot 2 13
            "The id of a service or plan stays the same from one catalog to the next."
        "CAT-04" Recommended 2 14
            "No string is longer than 255 characters."
    }
    "Service Offering Object" {
        "CAT-05" Must 2 14
            "Names are compared case by case: those that differ in it differ."
        "CAT-06" Recommended 2 15
            "Names suit a command line: letters, digits, `.` and `-`, short and telling."
        "CAT-10" Must 2 13
            "A service's `name` is there, not empty, and unique in the catalog."
        "CAT-11" Must 2 14
            "A service's `id` is there, not empty, and globally unique, preferably a GUID."
        "CAT-12" Must 2 12
            "A service's `description` is there and not empty."
        "CAT-13" May 2 0
            "A service has `tags`, which are strings."
        "CAT-14" Must 2 10
            "`requires` lists nothing but `syslog_drain`, `route_forwarding` and `volume_mount`."
        "CAT-15" Must 2 0
            "A service's `bindable` is there and says whether its plans are, unless they say otherwise."
        "CAT-16" May 2 14
            "`instances_retrievable` says that instances can be fetched."
        "CAT-17" May 2 14
            "`bindings_retrievable` says that bindings can be fetched."
        "CAT-18" May 2 15
            "`allow_context_updates` says that updates of the context alone are taken."
        "CAT-19" May 2 0
            "A service has `metadata`, an object."
    }
    "Catalog Extensions" {
        "CAT-20" May 2 3
            "A service has a `dashboard_client` for single sign-on."
    }
    "Service Offering Object" {
        "CAT-21" May 2 4
            "`plan_updateable`, so spelt, says whether instances can change their plan; the default is no."
        "CAT-22" Must 2 12
            "A service has at least one plan."
    }
    "Service Plan Object" {
        "CAT-30" Must 2 14
            "A plan's `id` is there, not empty, and globally unique, preferably a GUID."
        "CAT-31" Must 2 12
            "A plan's `name` is there, not empty, and unique in its service."
        "CAT-32" Must 2 12
            "A plan's `description` is there and not empty."
        "CAT-33" May 2 0
            "A plan has `metadata`, an object."
        "CAT-34" May 2 2
            "`free` says whether a plan costs nothing; the default is yes."
        "CAT-35" May 2 11
            "A plan's `bindable` counts more than its service's."
        "CAT-36" May 2 17
            "`binding_rotatable` says whether bindings of a plan can have successors; the default is no."
        "CAT-37" May 2 15
            "A plan's `plan_updateable` counts more than its service's; it is about changes away from that plan."
        "CAT-38" May 2 13
            "A plan has `schemas` of its parameters."
        "CAT-39" May 2 15
            "`maximum_polling_duration` is for how many seconds a platform polls at most."
    }
    "Maintenance Info Object" {
        "CAT-40" Must 2 15
            "`maintenance_info` has a `version` that follows Semantic Versioning 2.0."
    }
    "Schemas Object" {
        "CAT-50" May 2 13
            "There are schemas for creating and updating an instance and for creating a binding, each optional."
    }
    "Input Parameters Schema Object" {
        "CAT-51" Must 2 13
            "A schema says by `$schema` what dialect it is in."
        "CAT-52" MustNot 2 13
            "A schema refers to nothing outside of itself."
        "CAT-53" MustNot 2 13
            "A schema is at most 64 kB large."
        "CAT-54" Platform 2 13
            "Platforms understand JSON Schema draft-04; later drafts are not certain."
        "CAT-55" Must 2 13
            "A schema describes an object whose properties are the parameters."
    }
};
