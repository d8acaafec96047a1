//! Bindings, deletions, orphans, the profile.

use super::{Rule, rules};

pub(super) const RULES: &[Rule] = rules! {
    "Binding" {
        "BIND-01" Must 2 12
            "The catalog says `bindable` where instances can be bound."
        "BIND-02" Platform 2 13
            "A binding's id is globally unique and not empty, and its instance exists."
        "BIND-03" Must 2 0
            "`service_id` and `plan_id` are there, and those of the instance."
        "BIND-04" Platform 2 13
            "`context` may say where the binding is."
        "BIND-05" Platform 2 8
            "`bind_resource` may say what is bound, such as an application; `app_guid` was once beside it."
        "BIND-06" Should 2 12
            "The parameters of a binding are validated."
        "BIND-07" Must 2 12
            "A request that made a binding is answered 201."
        "BIND-08" Should 2 14
            "A binding requested again with the same attributes is answered 200."
        "BIND-09" Must 2 14
            "A binding that is being made is answered 202, and so is the same request again, with the same `operation`."
        "BIND-10" MustNot 2 14
            "A 202 has neither credentials nor other information of the binding."
        "BIND-11" Must 2 12
            "A request for a binding that exists, or is being made, with other attributes is answered 409."
        "BIND-12" Must 2 6
            "A binding that needs an application when none is named is answered 422 `RequiresApp`."
        "BIND-13" Must 2 14
            "A binding that other work on its instance is in the way of is answered 422 `ConcurrencyError`."
        "BIND-14" Must 2 14
            "A binding that can only be made asynchronously is 422 `AsyncRequired` if the platform cannot wait."
        "BIND-15" Must 2 13
            "A request for a binding that is malformed or lacks mandatory data is answered 400."
    }
    "Credentials" {
        "BIND-16" Must 2 12
            "Credentials that were generated are in the answer; they should be of this binding alone."
    }
    "Binding" {
        "BIND-17" Must 2 14
            "What a binding gives is handed out at least once."
    }
    "Log Drain" {
        "BIND-18" Must 2 12
            "A log drain's `syslog_drain_url` is in the answer, and the catalog requires `syslog_drain`."
    }
    "Route Services" {
        "BIND-19" Must 2 12
            "A route service's `route_service_url` is in the answer if the platform is to forward requests, or else it is not."
    }
    "Volume Services" {
        "BIND-20" Must 2 10
            "A volume's `volume_mounts` are in the answer, and the catalog requires `volume_mount`."
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
            "An endpoint has one host, at least one port or range of ports as text, and `tcp`, `udp` or `all`."
    }
    "Binding Metadata Object" {
        "BIND-24" May 2 16
            "`metadata` says when a binding expires and before when to renew it."
        "BIND-25" Must 2 17
            "Both times are as in `2019-12-31T23:59:59.0Z`, and renewal is not after expiry."
    }
    "Binding" {
        "BIND-26" Must 2 15
            "The `operation` of a binding has at most 10,000 characters."
    }
    "Binding Rotation" {
        "ROT-01" Must 2 17
            "The catalog says `binding_rotatable` where bindings can have successors."
        "ROT-02" Platform 2 17
            "`predecessor_binding_id` names a binding of the same instance that has not expired."
        "ROT-03" Must 2 17
            "A rotation makes a new binding; both are valid until they expire or are unbound."
        "ROT-04" Must 2 17
            "A rotation is answered as a binding is."
        "ROT-05" May 2 17
            "Parameters and state that a rotation does not name are the predecessor's."
    }
    "Fetching a Service Binding" {
        "GETB-01" Must 2 14
            "Bindings of every bindable plan can be fetched if the service says `bindings_retrievable`."
        "GETB-02" Must 2 14
            "A binding can be fetched as soon as a poll says that it was made."
        "GETB-03" Must 2 14
            "A binding is answered 200; one that does not exist, or is still being made, 404."
        "GETB-04" Must 2 14
            "Credentials of a binding that was made asynchronously are in the answer."
        "GETB-05" May 2 15
            "Parameters are left out of the answer; the fetch may name service and plan."
    }
    "Unbinding" {
        "UNB-01" Must 2 12
            "Everything that belongs to the binding is deleted."
        "UNB-02" Must 2 0
            "The query has `service_id` and `plan_id`."
        "UNB-03" Must 2 14
            "Unbinding is 200 when done, 202 while it goes on, 410 if there is no such binding, 400 if malformed."
        "UNB-04" Must 2 15
            "Unbinding is 422: `AsyncRequired` if it can only be that, `ConcurrencyError` if other work is in the way."
        "UNB-05" Must 2 15
            "Unbinding accepted while the binding is being made stops that and deletes what is left of it."
        "UNB-06" Should 2 15
            "Polls then show the unbinding's state, or, if that was synchronous, that making the binding failed."
        "UNB-07" Must 2 15
            "The `operation` of an unbinding has at most 10,000 characters."
    }
    "Deprovisioning" {
        "DEP-01" Must 2 12
            "Everything that provisioning created is deleted."
        "DEP-02" May 2 14
            "What happens to bindings that are left is the broker's choice; platforms unbind them first."
        "DEP-03" Must 2 0
            "The query has `service_id` and `plan_id`."
        "DEP-04" Must 2 14
            "Deprovisioning is 200 when done, 202 while it goes on, 410 if there is no such instance, 400 if malformed."
        "DEP-05" Must 2 15
            "Deprovisioning is 422: `AsyncRequired` if it can only be that, `ConcurrencyError` if other work is in the way."
        "DEP-06" Must 2 15
            "Deprovisioning accepted while the instance is being made stops that and deletes what is left of it."
        "DEP-07" Should 2 15
            "Polls then show the deprovisioning's state, or, if that was synchronous, that provisioning failed."
        "DEP-08" Must 2 15
            "The `operation` of a deprovisioning has at most 10,000 characters."
        "DEP-09" May 2 16
            "A failed deprovisioning says whether the instance can still be used."
    }
    "Orphan Mitigation" {
        "ORP-01" Should 2 4
            "The broker has the instances and bindings that the platform knows of, and no others."
        "ORP-02" Should 2 4
            "What was not made, or only half made, can be deleted, again and again, until it is gone."
        "ORP-03" May 2 14
            "The broker deletes on its own what it believes that nobody knows of."
        "ORP-04" Platform 2 15
            "Platforms delete what failed with 5xx, a timeout or an unreadable answer, and leave alone what failed with 4xx."
    }
    "Context Object Properties" {
        "PROF-01" Platform 2 12
            "`context` always has `platform`, such as `cloudfoundry` or `kubernetes`."
    }
    "Cloud Foundry Context Object" {
        "PROF-02" Platform 2 12
            "Cloud Foundry says organization, space, instance and their annotations; names and annotations change."
    }
    "Kubernetes Context Object" {
        "PROF-03" Platform 2 12
            "Kubernetes says namespace, cluster, instance and their annotations."
    }
    "Originating Identity Header" {
        "PROF-04" Platform 2 13
            "The user is a `user_id` on Cloud Foundry, and a `username`, `uid`, `groups` and `extra` on Kubernetes."
    }
    "Cloud Foundry Bind Resource Object" {
        "PROF-05" Platform 2 14
            "Cloud Foundry binds an application, a route or a space, or names a client that is to read the credentials."
    }
    "Service Metadata Fields" {
        "PROF-10" Recommended 2 13
            "A service's metadata has the common names, such as `displayName`; `shareable` is a boolean."
    }
    "Plan Metadata Fields" {
        "PROF-11" Recommended 2 13
            "A plan's metadata has the common names: `displayName`, `bullets` and `costs`."
    }
    "Dashboard Client Object" {
        "PROF-20" Must 2 15
            "A `dashboard_client` has an `id` and a `secret` that are not empty."
    }
};
