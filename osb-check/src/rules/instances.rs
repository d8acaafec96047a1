//! Asynchronous and concurrent operations, polling, instances.

use super::{Rule, rules};

pub(super) const RULES: &[Rule] = rules! {
    "Synchronous and Asynchronous Operations" {
        "ASY-01" Should 2 7
            "Every request is answered promptly, as platforms give up after about 60 s."
    }
    "Synchronous Operations" {
        "ASY-02" Should 2 7
            "An operation that is complete is answered 201 or 200; longer operations are asynchronous."
        "ASY-03" May 2 7
            "Some services and plans may be asynchronous and others not."
        "ASY-04" May 2 7
            "An operation may be synchronous even if the platform accepts an asynchronous one."
    }
    "Asynchronous Operations" {
        "ASY-05" Must 2 14 from 2 7
            "Operations are asynchronous only with `accepts_incomplete=true`; without it, those that must be are 422 `AsyncRequired`."
        "ASY-06" Must 2 7
            "An asynchronous operation is answered 202."
        "ASY-07" May 2 7
            "The `description` of a poll may state the progress."
        "ASY-08" May 2 17
            "A repeated provisioning with the same attributes is 200 if it is handled synchronously."
    }
    "Blocking Operations" {
        "BLK-01" May 2 14
            "The broker decides how much concurrency it supports."
        "BLK-02" Must 2 14 from 2 12
            "A request blocked by another operation is answered 422 `ConcurrencyError`."
        "BLK-03" May 2 14
            "Creating a binding counts as a change of its instance."
    }
    "Polling Last Operation for Service Instances" {
        "LOI-01" Platform 2 9
            "Polls may name service and plan; during a change of plan they name the old plan."
        "LOI-02" Platform 2 12 from 2 9
            "Polls name the operation if the 202 did."
        "LOI-03" Must 2 7
            "A poll is answered 200 with a `state` of `in progress`, `succeeded` or `failed`."
        "LOI-04" Must 2 16
            "The `description` of a poll is absent or not empty."
        "LOI-05" Must 2 13
            "A poll that is malformed or lacks mandatory data is answered 400."
        "LOI-06" Must 2 16
            "A poll for an instance that does not exist is answered 404."
        "LOI-07" May 2 7
            "A poll may be answered 410 only after a successful deprovisioning."
        "LOI-08" MustNot 2 16
            "Only polls of a failed update or deprovisioning have `instance_usable`, only those of an update `update_repeatable`."
        "LOI-09" ShouldNot 2 16
            "The final state of an operation is kept for a while after it was reported."
        "LOI-10" May 2 15
            "Responses to polls may state in Retry-After when to poll again."
        "LOI-11" Platform 2 14
            "Platforms poll until `succeeded` or `failed`; a failed provisioning may be followed by a deprovisioning."
    }
    "Polling Last Operation for Service Bindings" {
        "LOB-01" Must 2 14
            "Polls of a binding are answered like those of an instance: 200 with a `state`, 400, 404, or 410 after an unbinding."
        "LOB-02" May 2 14
            "A broker that does not name operations has at most one at a time for each binding."
        "LOB-03" MustNot 2 16
            "Polls of a binding have neither `instance_usable` nor `update_repeatable`."
        "LOB-04" ShouldNot 2 16
            "The final state of an operation on a binding is kept for a while after it was reported."
        "LOB-05" Must 2 14
            "A binding can be fetched as soon as a poll reports that it was created."
        "LOB-06" May 2 15
            "Responses to polls of a binding may state in Retry-After when to poll again."
    }
    "Polling Interval and Duration" {
        "DUR-01" May 2 15
            "A plan may limit the polling time; an operation that takes longer counts as failed."
    }
    "Provisioning" {
        "PROV-01" Must 2 12 from 2 0
            "An instance is created under the id that the platform chose for it."
        "PROV-02" May 2 16
            "The id of a deleted instance is not reused."
        "PROV-03" Must 2 14 from 2 0
            "`service_id` is present and a service of the catalog."
        "PROV-04" Must 2 14 from 2 0
            "`plan_id` is present and a plan of that service."
        "PROV-05" Platform 2 0
            "`organization_guid` and `space_guid` are present and not empty, although `context` is meant to replace them."
        "PROV-06" Platform 2 12
            "`context` identifies the location of the instance on the platform."
        "PROV-07" Should 2 12 from 2 5
            "The parameters of a provisioning are validated."
        "PROV-08" Must 2 15
            "A `maintenance_info.version` other than the plan's is answered 422 `MaintenanceInfoConflict`."
        "PROV-09" Must 2 12 from 2 7
            "A provisioning that is only possible asynchronously is 422 `AsyncRequired` if the request does not accept that."
        "PROV-10" Must 2 12 from 2 0
            "A provisioning that created an instance is answered 201."
        "PROV-11" Should 2 14 from 2 12
            "A repeated provisioning with the same attributes is answered 200 once the instance exists."
        "PROV-12" Must 2 7
            "A provisioning that is still in progress is answered 202."
        "PROV-13" Must 2 14 from 2 12
            "A repeated provisioning that is in progress is answered 202 with the same `operation`."
        "PROV-14" Must 2 12 from 2 0
            "A provisioning with the id of an instance that exists or is being created, but with other attributes, is answered 409."
        "PROV-15" Must 2 13
            "A provisioning that is malformed or lacks mandatory data is answered 400."
        "PROV-16" Must 2 12 from 2 0
            "The `dashboard_url` of an instance, if there is one, is in the first response."
        "PROV-17" Must 2 15
            "The `operation` of a provisioning has at most 10,000 characters."
        "PROV-18" May 2 16
            "An instance may have `metadata`: labels and attributes."
    }
    "Fetching a Service Instance" {
        "GETI-01" Must 2 14
            "Instances of every plan can be fetched if the service is `instances_retrievable`."
        "GETI-02" Must 2 14
            "An instance can be fetched as soon as a poll reports that it was created."
        "GETI-03" Platform 2 16
            "A fetch may name service and plan."
        "GETI-04" Must 2 14
            "An instance is answered 200 with service, plan, dashboard, parameters, maintenance and metadata, each optional."
        "GETI-05" Must 2 14
            "An instance that does not exist, or is still being created, is answered 404."
        "GETI-06" Must 2 14
            "An instance that cannot be fetched because it is being updated is answered 422 `ConcurrencyError`."
        "GETI-07" May 2 15
            "The response may omit parameters, for instance secret ones."
        "GETI-08" May 2 17
            "The response may have the current `maintenance_info` of the instance."
    }
    "Updating a Service Instance" {
        "UPD-01" Must 2 12 from 2 4
            "The catalog states `plan_updateable` where changes of plan are supported."
        "UPD-02" Should 2 4
            "The broker decides which changes of plan are allowed, and refuses others with a message."
        "UPD-03" Must 2 15
            "The catalog states `allow_context_updates` if updates of the context alone are accepted."
        "UPD-04" Must 2 6
            "`service_id` is present and the service of the instance."
        "UPD-05" MustNot 2 12 from 2 4
            "Without `plan_id` the plan stays the same; with it, it is a plan of the same service."
        "UPD-06" MustNot 2 12
            "Without `parameters` the parameters stay the same."
        "UPD-07" Should 2 12 from 2 5
            "The parameters of an update are validated."
        "UPD-08" Platform 2 12
            "`context` may describe the current location of the instance."
        "UPD-09" Platform 2 4
            "`previous_values` may have the attributes of the instance before the update, as the platform knows them."
        "UPD-10" Must 2 15
            "A `maintenance_info.version` other than the plan's is answered 422 `MaintenanceInfoConflict`."
        "UPD-11" Must 2 4
            "An update is answered 200 once it is applied, and may be if it changes nothing."
        "UPD-12" Must 2 14 from 2 7
            "An update in progress is answered 202, and so is a repeated one, with the same `operation`."
        "UPD-13" Must 2 13
            "An update that is malformed or lacks mandatory data is answered 400."
        "UPD-14" Must 2 12 from 2 4
            "A change that is not supported, or not possible at the moment, is answered 422."
        "UPD-15" Must 2 14
            "A changed `dashboard_url` is in the first response; without one the old URL stays."
        "UPD-16" Must 2 12 from 2 9
            "The `operation` of an update is absent or not empty."
        "UPD-17" MustNot 2 16 from 2 14
            "If the answer is 4xx or 5xx, nothing of the update is applied."
        "UPD-18" May 2 16
            "A failed update may state whether the instance is usable, and whether the update can be repeated."
    }
    "Service Instance Metadata" {
        "META-01" May 2 16
            "`labels` may describe an instance; each response has all of them."
        "META-02" May 2 17
            "`attributes` may change how a platform treats an instance."
    }
};
