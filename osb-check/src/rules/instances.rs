//! Asynchronous and concurrent operations, polling, instances.

use super::{Rule, rules};

pub(super) const RULES: &[Rule] = rules! {
    "Synchronous and Asynchronous Operations" {
        "ASY-01" Should 2 7
            "Every request is answered promptly: platforms give up after about 60 s."
    }
    "Synchronous Operations" {
        "ASY-02" Should 2 7
            "Work that is done with the answer is 201 or 200; other work is answered asynchronously."
        "ASY-03" May 2 7
            "Some services and plans work asynchronously and others do not."
        "ASY-04" May 2 7
            "Work is done synchronously although the platform would wait."
    }
    "Asynchronous Operations" {
        "ASY-05" Must 2 14
            "Work is asynchronous only if `accepts_incomplete=true`; if it cannot be otherwise, 422 `AsyncRequired`."
        "ASY-06" Must 2 7
            "Asynchronous work is answered 202."
        "ASY-07" May 2 7
            "Polls tell in `description` how far the work is."
        "ASY-08" May 2 17
            "A provisioning sent again with the same attributes is 200 if it is handled synchronously."
    }
    "Blocking Operations" {
        "BLK-01" May 2 14
            "The broker decides how much concurrency it supports."
        "BLK-02" Must 2 14
            "A request that other work is in the way of is answered 422 `ConcurrencyError`."
        "BLK-03" May 2 14
            "Making a binding counts as a change of its instance."
    }
    "Polling Last Operation for Service Instances" {
        "LOI-01" Platform 2 9
            "Polls may name service and plan; after a change of plan it is the old plan until that is done."
        "LOI-02" Platform 2 12
            "Polls name the operation if its 202 did."
        "LOI-03" Must 2 7
            "A poll is 200 with a `state` of `in progress`, `succeeded` or `failed`."
        "LOI-04" Must 2 16
            "The `description` of a poll is absent or not empty."
        "LOI-05" Must 2 13
            "A poll that is malformed or lacks mandatory data is answered 400."
        "LOI-06" Must 2 16
            "A poll for an instance that does not exist is answered 404."
        "LOI-07" May 2 7
            "A poll is answered 410 if the operation was a deprovisioning, which has then succeeded, and for no other."
        "LOI-08" MustNot 2 16
            "Polls have `instance_usable` only for a failed update or deprovisioning, `update_repeatable` only for an update."
        "LOI-09" ShouldNot 2 16
            "The state of an operation is remembered for a while after its end was told."
        "LOI-10" May 2 15
            "Answers to polls say by Retry-After when to come back."
        "LOI-11" Platform 2 14
            "Platforms poll until `succeeded` or `failed`; a failed provisioning may be followed by a deprovisioning."
    }
    "Polling Last Operation for Service Bindings" {
        "LOB-01" Must 2 14
            "Polls of a binding are answered as those of an instance: 200 with a `state`, 400, 404, or 410 when unbound."
        "LOB-02" May 2 14
            "A broker that names no operations has one at a time for a binding."
        "LOB-03" MustNot 2 16
            "Polls of a binding have neither `instance_usable` nor `update_repeatable`."
        "LOB-04" ShouldNot 2 16
            "The state of an operation on a binding is remembered for a while after its end was told."
        "LOB-05" Must 2 14
            "A binding can be fetched as soon as a poll says that it was made."
        "LOB-06" May 2 15
            "Answers to polls of a binding say by Retry-After when to come back."
    }
    "Polling Interval and Duration" {
        "DUR-01" May 2 15
            "A plan limits the time of polling; an operation that takes longer counts as failed."
    }
    "Provisioning" {
        "PROV-01" Must 2 12
            "An instance is created, and known by the id that the platform chose for it."
        "PROV-02" May 2 16
            "The id of an instance that is gone is not taken again."
        "PROV-03" Must 2 14
            "`service_id` is there and a service of the catalog."
        "PROV-04" Must 2 14
            "`plan_id` is there and a plan of that service."
        "PROV-05" Platform 2 0
            "`organization_guid` and `space_guid` are there and not empty, although `context` is to replace them."
        "PROV-06" Platform 2 12
            "`context` says where on the platform the instance is."
        "PROV-07" Should 2 12
            "The parameters of a provisioning are validated."
        "PROV-08" Must 2 15
            "A `maintenance_info.version` other than the plan's is answered 422 `MaintenanceInfoConflict`."
        "PROV-09" Must 2 12
            "A provisioning that can only be asynchronous is 422 `AsyncRequired` if the platform cannot wait."
        "PROV-10" Must 2 12
            "A provisioning that made an instance is answered 201."
        "PROV-11" Should 2 14
            "A provisioning sent again with the same attributes is answered 200 once the instance is there."
        "PROV-12" Must 2 7
            "A provisioning that goes on after the answer is answered 202."
        "PROV-13" Must 2 14
            "The same provisioning sent again meanwhile is answered 202 with the same `operation`."
        "PROV-14" Must 2 12
            "A provisioning for an id that is taken, or being made, with other attributes is answered 409."
        "PROV-15" Must 2 13
            "A provisioning that is malformed or lacks mandatory data is answered 400."
        "PROV-16" Must 2 12
            "`dashboard_url`, if an instance has one, is in the first answer."
        "PROV-17" Must 2 15
            "The `operation` of a provisioning has at most 10,000 characters."
        "PROV-18" May 2 16
            "An instance has `metadata`: labels and attributes."
    }
    "Fetching a Service Instance" {
        "GETI-01" Must 2 14
            "Instances of every plan can be fetched if the service says `instances_retrievable`."
        "GETI-02" Must 2 14
            "An instance can be fetched as soon as a poll says that it was made."
        "GETI-03" Platform 2 16
            "A fetch may name service and plan."
        "GETI-04" Must 2 14
            "An instance is answered 200 with service, plan, dashboard, parameters, maintenance and metadata, each optional."
        "GETI-05" Must 2 14
            "An instance that does not exist, or is still being made, is answered 404."
        "GETI-06" Must 2 14
            "An instance that cannot be fetched because it is being updated is answered 422 `ConcurrencyError`."
        "GETI-07" May 2 15
            "Parameters are left out of the answer, for instance secret ones."
        "GETI-08" May 2 17
            "The answer has the instance's current `maintenance_info`."
    }
    "Updating a Service Instance" {
        "UPD-01" Must 2 12
            "The catalog says `plan_updateable` where changes of plan are supported."
        "UPD-02" Should 2 4
            "The broker decides which changes of plan are legal, and says so if one is not."
        "UPD-03" Must 2 15
            "The catalog says `allow_context_updates` if updates of the context alone are taken."
        "UPD-04" Must 2 6
            "`service_id` is there and the service of the instance."
        "UPD-05" MustNot 2 12
            "The plan stays as it is if `plan_id` is absent; if it is there, it is a plan of that service."
        "UPD-06" MustNot 2 12
            "Parameters stay as they are if `parameters` is absent."
        "UPD-07" Should 2 12
            "The parameters of an update are validated."
        "UPD-08" Platform 2 12
            "`context` may say anew where the instance is."
        "UPD-09" Platform 2 4
            "`previous_values` may say what the platform believes that the instance was."
        "UPD-10" Must 2 15
            "A `maintenance_info.version` other than the plan's is answered 422 `MaintenanceInfoConflict`."
        "UPD-11" Must 2 4
            "An update is answered 200 once it is applied, and may be if it changes nothing."
        "UPD-12" Must 2 14
            "An update that goes on after the answer is 202, and so is the same one sent again, with the same `operation`."
        "UPD-13" Must 2 13
            "An update that is malformed or lacks mandatory data is answered 400."
        "UPD-14" Must 2 12
            "A change that is not supported, or not possible now, is answered 422."
        "UPD-15" Must 2 14
            "A `dashboard_url` that changes is in the first answer; the old one stays if there is none."
        "UPD-16" Must 2 12
            "The `operation` of an update is absent or not empty."
        "UPD-17" MustNot 2 16
            "Nothing that was requested is applied if the answer is 4xx or 5xx."
        "UPD-18" May 2 16
            "A failed update says whether the instance can still be used, and the update repeated."
    }
    "Service Instance Metadata" {
        "META-01" May 2 16
            "`labels` describe an instance, all of them each time they are sent."
        "META-02" May 2 17
            "`attributes` may change how a platform treats an instance."
    }
};
