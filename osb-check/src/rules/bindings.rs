//! Bindings, deletions, orphans, the profile.

use super::{Rule, rules};

pub(super) const RULES: &[Rule] = rules! {
    "Binding" {
        "BIND-01" Must 2 12 from 2 0
            "The catalog states `bindable` where instances can be bound."
        "BIND-02" Platform 2 13 from 2 0
            "A binding's id is globally unique and not empty, and its instance exists."
        "BIND-03" Must 2 0
            "`service_id` and `plan_id` are present, and those of the instance."
        "BIND-04" Platform 2 13
            "`context` may identify the location of the binding."
        "BIND-05" Platform 2 8
            "`bind_resource` may identify what is bound, such as an application; `app_guid` was once a field beside it."
        "BIND-06" Should 2 12 from 2 5
            "The parameters of a binding are validated."
        "BIND-07" Must 2 12 from 2 0
            "A request that created a binding is answered 201."
        "BIND-08" Should 2 14 from 2 12
            "A repeated bind with the same attributes is answered 200."
        "BIND-09" Must 2 14
            "A binding that is being created is answered 202, and so is a repeated request, with the same `operation`."
        "BIND-10" MustNot 2 14
            "A 202 has neither credentials nor other information of the binding."
        "BIND-11" Must 2 12 from 2 0
            "A bind with the id of a binding that exists or is being created, but with other attributes, is answered 409."
        "BIND-12" Must 2 6
            "If a binding requires an application and the request names none, the answer is 422 `RequiresApp`."
        "BIND-13" Must 2 14
            "A bind blocked by another operation on its instance is answered 422 `ConcurrencyError`."
        "BIND-14" Must 2 14
            "A bind that is only possible asynchronously is 422 `AsyncRequired` if the request does not accept that."
        "BIND-15" Must 2 13
            "A bind that is malformed or lacks mandatory data is answered 400."
    }
    "Credentials" {
        "BIND-16" Must 2 12 from 2 0
            "Generated credentials are in the response; they should be unique to the binding."
    }
    "Binding" {
        "BIND-17" Must 2 14
            "The contents of a binding are returned at least once."
    }
    "Log Drain" {
        "BIND-18" Must 2 12 from 2 0
            "The `syslog_drain_url` of a log drain is in the response, and the catalog requires `syslog_drain`."
    }
    "Route Services" {
        "BIND-19" Must 2 12 from 2 8
            "The `route_service_url` of a route service is in the response if and only if the platform is to forward requests."
    }
    "Volume Services" {
        "BIND-20" Must 2 10
            "The `volume_mounts` of a volume service are in the response, and the catalog requires `volume_mount`."
    }
    "Volume Mount Object" {
        "BIND-21" Must 2 10
            "A volume mount has a driver, a directory, the mode `r` or `rw`, the type `shared` and a device with a `volume_id`."
    }
    "Binding" {
        "BIND-22" Should 2 15
            "`endpoints` has all network endpoints that the application uses."
    }
    "Endpoint Object" {
        "BIND-23" Must 2 15
            "An endpoint has one host, at least one port or port range as a string, and `tcp`, `udp` or `all`."
    }
    "Binding Metadata Object" {
        "BIND-24" May 2 16
            "`metadata` may state when a binding expires and before when to renew it."
        "BIND-25" Must 2 17 from 2 16
            "Both times have the form `2019-12-31T23:59:59.0Z`, and renewal is not after expiry."
    }
    "Binding" {
        "BIND-26" Must 2 15
            "The `operation` of a binding has at most 10,000 characters."
    }
    "Binding Rotation" {
        "ROT-01" Must 2 17
            "The catalog states `binding_rotatable` where bindings can be rotated."
        "ROT-02" Platform 2 17
            "`predecessor_binding_id` names a binding of the same instance that has not expired."
        "ROT-03" Must 2 17
            "A rotation creates a new binding; both are valid until they expire or are unbound."
        "ROT-04" Must 2 17
            "A rotation is answered like a bind."
        "ROT-05" May 2 17
            "Parameters and state that a rotation does not name may be taken from the predecessor."
    }
    "Fetching a Service Binding" {
        "GETB-01" Must 2 14
            "Bindings of every bindable plan can be fetched if the service is `bindings_retrievable`."
        "GETB-02" Must 2 14
            "A binding can be fetched as soon as a poll reports that it was created."
        "GETB-03" Must 2 14
            "A binding is answered 200; one that does not exist, or is still being created, 404."
        "GETB-04" Must 2 14
            "The credentials of a binding that was created asynchronously are in the response."
        "GETB-05" May 2 15
            "The response may omit parameters; the request may name service and plan."
    }
    "Unbinding" {
        "UNB-01" Must 2 12 from 2 0
            "Everything that belongs to the binding is deleted."
        "UNB-02" Must 2 0
            "The query has `service_id` and `plan_id`."
        "UNB-03" Must 2 14 from 2 0
            "Unbinding is 200 when complete, 202 while in progress, 410 if the binding does not exist, 400 if malformed."
        "UNB-04" Must 2 15 from 2 14
            "Unbinding is 422 `AsyncRequired` if only possible asynchronously, 422 `ConcurrencyError` if another operation blocks it."
        "UNB-05" Must 2 15
            "Unbinding accepted while the binding is being created cancels the creation and deletes its remains."
        "UNB-06" Should 2 15
            "Polls then show the state of the unbinding, or, if it was synchronous, that the creation failed."
        "UNB-07" Must 2 15
            "The `operation` of an unbinding has at most 10,000 characters."
    }
    "Deprovisioning" {
        "DEP-01" Must 2 12 from 2 0
            "Everything that provisioning created is deleted."
        "DEP-02" May 2 14
            "The broker decides about bindings that still exist; platforms unbind them first."
        "DEP-03" Must 2 0
            "The query has `service_id` and `plan_id`."
        "DEP-04" Must 2 14 from 2 0
            "Deprovisioning is 200 when complete, 202 while in progress, 410 if the instance does not exist, 400 if malformed."
        "DEP-05" Must 2 15 from 2 7
            "Deprovisioning is 422 `AsyncRequired` if only possible asynchronously, 422 `ConcurrencyError` if blocked."
        "DEP-06" Must 2 15
            "Deprovisioning accepted while the instance is being created cancels the creation and deletes its remains."
        "DEP-07" Should 2 15
            "Polls then show the state of the deprovisioning, or, if it was synchronous, that the provisioning failed."
        "DEP-08" Must 2 15
            "The `operation` of a deprovisioning has at most 10,000 characters."
        "DEP-09" May 2 16
            "A failed deprovisioning may state whether the instance is usable."
    }
    "Orphan Mitigation" {
        "ORP-01" Should 2 4
            "The broker has exactly the instances and bindings that the platform knows."
        "ORP-02" Should 2 4
            "Resources that were not created, or only partly, can be deleted repeatedly until they are gone."
        "ORP-03" May 2 14
            "The broker may delete resources on its own if it believes that no platform knows them."
        "ORP-04" Platform 2 15
            "Platforms delete resources after a 5xx, a timeout or an unreadable response, but not after a 4xx."
    }
    "Context Object Properties" {
        "PROF-01" Platform 2 12
            "`context` always has `platform`, such as `cloudfoundry` or `kubernetes`."
    }
    "Cloud Foundry Context Object" {
        "PROF-02" Platform 2 12
            "Cloud Foundry sends organization, space, instance and their annotations; names and annotations change."
    }
    "Kubernetes Context Object" {
        "PROF-03" Platform 2 12
            "Kubernetes sends namespace, cluster, instance and their annotations."
    }
    "Originating Identity Header" {
        "PROF-04" Platform 2 13
            "The user is a `user_id` on Cloud Foundry, and `username`, `uid`, `groups` and `extra` on Kubernetes."
    }
    "Cloud Foundry Bind Resource Object" {
        "PROF-05" Platform 2 14
            "Cloud Foundry binds an application, a route or a space, or names a client that is going to read the credentials."
    }
    "Service Metadata Fields" {
        "PROF-10" Recommended 2 13
            "A service's metadata uses the common names, such as `displayName`; `shareable` is a boolean."
    }
    "Plan Metadata Fields" {
        "PROF-11" Recommended 2 13
            "A plan's metadata uses the common names: `displayName`, `bullets` and `costs`."
    }
    "Dashboard Client Object" {
        "PROF-20" Must 2 15 from 2 3
            "A `dashboard_client` has an `id` and a `secret` that are not empty."
    }
};
