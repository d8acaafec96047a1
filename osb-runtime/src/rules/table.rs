//! The table.

use super::{
    Level::{self, May, Must, MustNot, Platform, Recommended, Should, ShouldNot},
    Rule,
};
use crate::protocol::ApiVersion;

const fn r(id: &'static str, level: Level, minor: u32, section: &'static str, text: &'static str) -> Rule {
    Rule { id, level, since: ApiVersion::new(2, minor), section, text }
}

const VERSION: &str = "API Version Header";
const IDENTITY: &str = "Originating Identity";
const REQUEST_IDENTITY: &str = "Request Identity";
const CONTENT: &str = "Content Type";
const AUTHENTICATION: &str = "Platform to Service Broker Authentication";
const URLS: &str = "URL Properties";
const VENDORS: &str = "Vendor Extension Fields";
const CHANGES: &str = "Change Policy";
const ERRORS: &str = "Service Broker Errors";
const CATALOG: &str = "Catalog Management";
const ASYNC: &str = "Synchronous and Asynchronous Operations";
const BLOCKING: &str = "Blocking Operations";
const POLL_INSTANCE: &str = "Polling Last Operation for Service Instances";
const POLL_BINDING: &str = "Polling Last Operation for Service Bindings";
const POLL_FOR: &str = "Polling Interval and Duration";
const PROVISION: &str = "Provisioning";
const FETCH_INSTANCE: &str = "Fetching a Service Instance";
const UPDATE: &str = "Updating a Service Instance";
const METADATA: &str = "Service Instance Metadata";
const BINDING: &str = "Binding";
const ROTATION: &str = "Rotating a Service Binding";
const FETCH_BINDING: &str = "Fetching a Service Binding";
const UNBIND: &str = "Unbinding";
const DEPROVISION: &str = "Deprovisioning";
const ORPHANS: &str = "Orphan Mitigation";
const PROFILE: &str = "Profile";

/// All rules, in the order of the specification.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    r("HDR-01", Platform, 0, VERSION, "Every request says the version of the API, which is compared as two integers."),
    r("HDR-02", May, 0, VERSION, "A version that is not served is refused with 412 and the one to use."),
    r("HDR-03", May, 16, VERSION, "A request without version is refused with 400."),
    r("HDR-04", Platform, 13, IDENTITY, "A request may say who caused it, as a platform's name and a JSON object in base64."),
    r("HDR-05", Should, 15, REQUEST_IDENTITY, "The identity of a request is copied to its answer, whatever the status."),
    r("HDR-06", May, 15, REQUEST_IDENTITY, "The identity of a request is in the log lines about it."),
    r("HDR-07", Should, 14, CONTENT, "An answer with a body is of type application/json."),
    r("HDR-08", May, 14, CONTENT, "A body without content type is processed."),
    r("HDR-09", Should, 14, CONTENT, "A body that can't be processed is refused with 400, not 415 or 422."),
    r("HDR-10", May, 15, POLL_FOR, "An answer to a poll says in Retry-After when to ask again."),
    r("HDR-11", May, 16, CATALOG, "A catalog that the platform has already is not sent again."),

    r("AUTH-01", Must, 0, AUTHENTICATION, "Every request is authenticated, and refused with 401 if that fails."),
    r("AUTH-02", Platform, 0, AUTHENTICATION, "Platforms use HTTP Basic authentication unless something else is agreed on."),
    r("AUTH-03", May, 13, AUTHENTICATION, "Other mechanisms, such as bearer tokens, can be agreed on."),
    r("AUTH-04", Recommended, 11, AUTHENTICATION, "Traffic is secured by TLS."),
    r("AUTH-05", May, 0, AUTHENTICATION, "Several platforms are told apart by URL prefixes and credentials."),

    r("URL-01", Must, 13, URLS, "Ids in paths and queries may have any character, so they are percent-decoded."),
    r("URL-02", Recommended, 13, URLS, "Ids that the broker chooses are of unreserved characters only."),

    r("EXT-01", Must, 0, VENDORS, "Unknown fields of a request are ignored."),
    r("EXT-02", May, 14, VENDORS, "Messages have fields of the broker's own, with a prefix of its own."),
    r("EXT-03", MustNot, 0, CHANGES, "Fields and endpoints of the specification are not dropped or renamed."),

    r("ERR-01", Must, 0, ERRORS, "A request that fails gets the status that the specification names for it."),
    r("ERR-02", Must, 6, ERRORS, "An error code is one word in CamelCase."),
    r("ERR-03", Must, 0, ERRORS, "The description of an error is not empty, and for users to read."),
    r("ERR-04", Must, 7, ERRORS, "What can only be done asynchronously, for who did not agree to that, is 422 AsyncRequired."),
    r("ERR-05", Must, 12, ERRORS, "What can't be done because of other work on the resource is 422 ConcurrencyError."),
    r("ERR-06", Must, 6, ERRORS, "A bind that lacks the application it needs is 422 RequiresApp."),
    r("ERR-07", Must, 15, ERRORS, "A maintenance version that is not the catalog's is 422 MaintenanceInfoConflict."),
    r("ERR-08", Must, 14, ERRORS, "After a 4xx everything is as it was."),
    r("ERR-09", Should, 14, ERRORS, "After a 5xx everything is as it was."),
    r("ERR-10", MustNot, 16, ERRORS, "Only a failed update or deprovision says whether the instance is usable."),
    r("ERR-11", MustNot, 16, ERRORS, "Only a failed update says whether it can be repeated."),
    r("ERR-12", Must, 13, ERRORS, "A malformed request, or one that lacks mandatory data, is refused with 400."),
    r("ERR-13", May, 16, ERRORS, "A request with invalid data is refused with 400 and what is wrong."),

    r("CAT-01", Must, 0, CATALOG, "The catalog is answered with 200 and an array of service offerings."),
    r("CAT-02", May, 13, CATALOG, "Offerings and plans are added, removed and changed from one catalog to the next."),
    r("CAT-03", MustNot, 13, CATALOG, "The id of an offering or a plan never changes."),
    r("CAT-04", Recommended, 14, CATALOG, "Strings have 255 characters at most."),
    r("CAT-05", Must, 14, CATALOG, "Names are compared with their case."),
    r("CAT-06", Recommended, 15, CATALOG, "Names are short, of letters, digits, dots and hyphens."),
    r("CAT-10", Must, 0, CATALOG, "An offering has a name that no other one in the catalog has."),
    r("CAT-11", Must, 0, CATALOG, "An offering has an id that is unique in the world."),
    r("CAT-12", Must, 0, CATALOG, "An offering has a description."),
    r("CAT-13", May, 0, CATALOG, "An offering has tags."),
    r("CAT-14", Must, 0, CATALOG, "What an offering requires is log drains, route forwarding or volume mounts."),
    r("CAT-15", Must, 0, CATALOG, "An offering says whether its plans are bindable."),
    r("CAT-16", May, 14, CATALOG, "An offering says whether its instances can be fetched."),
    r("CAT-17", May, 14, CATALOG, "An offering says whether its bindings can be fetched."),
    r("CAT-18", May, 15, CATALOG, "An offering says whether updates may bring a context alone."),
    r("CAT-19", May, 0, CATALOG, "An offering has metadata."),
    r("CAT-20", May, 3, CATALOG, "An offering has an OAuth client for its dashboard."),
    r("CAT-21", May, 4, CATALOG, "An offering says whether the plan of its instances can be changed (`plan_updateable`)."),
    r("CAT-22", Must, 0, CATALOG, "An offering has at least one plan."),
    r("CAT-30", Must, 0, CATALOG, "A plan has an id that is unique in the world."),
    r("CAT-31", Must, 0, CATALOG, "A plan has a name that no other one of the offering has."),
    r("CAT-32", Must, 0, CATALOG, "A plan has a description."),
    r("CAT-33", May, 0, CATALOG, "A plan has metadata."),
    r("CAT-34", May, 2, CATALOG, "A plan says that it is not free."),
    r("CAT-35", May, 11, CATALOG, "A plan says whether it is bindable, over its offering."),
    r("CAT-36", May, 17, CATALOG, "A plan says whether its bindings can be rotated."),
    r("CAT-37", May, 15, CATALOG, "A plan says whether instances can leave it, over its offering."),
    r("CAT-38", May, 13, CATALOG, "A plan has schemas of its parameters."),
    r("CAT-39", May, 15, CATALOG, "A plan says for how long platforms should poll at most."),
    r("CAT-40", Must, 15, CATALOG, "Maintenance information has a semantic version."),
    r("CAT-50", May, 13, CATALOG, "Schemas stand under creation and update of instances, and creation of bindings."),
    r("CAT-51", Must, 13, CATALOG, "A schema says its dialect in `$schema`."),
    r("CAT-52", MustNot, 13, CATALOG, "A schema refers to nothing outside of it."),
    r("CAT-53", MustNot, 13, CATALOG, "A schema is not larger than 64 kB."),
    r("CAT-54", Platform, 13, CATALOG, "Platforms understand JSON Schema draft-04."),
    r("CAT-55", Must, 13, CATALOG, "Parameters are the properties of one object."),

    r("ASY-01", Should, 7, ASYNC, "Requests are answered promptly: platforms hang up after a minute or so."),
    r("ASY-02", Should, 7, ASYNC, "What is done when it is answered is answered with its final status, the rest with 202."),
    r("ASY-03", May, 7, ASYNC, "Plans differ in what they do asynchronously."),
    r("ASY-04", May, 7, ASYNC, "A platform that accepts a 202 is answered synchronously all the same."),
    r("ASY-05", Must, 7, ASYNC, "Only a request that says accepts_incomplete=true is answered with 202."),
    r("ASY-06", Must, 7, ASYNC, "What goes on after the answer is answered with 202."),
    r("ASY-07", May, 7, ASYNC, "A poll is told how far the work has come."),
    r("ASY-08", May, 17, ASYNC, "A repeated provision is answered with 200, as long as nothing is going on."),

    r("BLK-01", May, 14, BLOCKING, "How much may go on at once is the broker's to choose."),
    r("BLK-02", Must, 12, BLOCKING, "What other work does not allow is refused with 422 ConcurrencyError."),
    r("BLK-03", May, 14, BLOCKING, "A binding that is being made counts as work on its instance."),

    r("LOI-01", Platform, 9, POLL_INSTANCE, "A poll may name service and plan; the old plan while the plan changes."),
    r("LOI-02", Platform, 9, POLL_INSTANCE, "A poll names the operation if the 202 did."),
    r("LOI-03", Must, 7, POLL_INSTANCE, "A poll is answered with 200 and the state: in progress, succeeded or failed."),
    r("LOI-04", Must, 12, POLL_INSTANCE, "The description in the answer to a poll is not empty."),
    r("LOI-05", Must, 13, POLL_INSTANCE, "A malformed poll is refused with 400."),
    r("LOI-06", Must, 16, POLL_INSTANCE, "A poll for an instance that never was is answered with 404."),
    r("LOI-07", MustNot, 7, POLL_INSTANCE, "Only a poll for a deletion is answered with 410."),
    r("LOI-08", MustNot, 16, POLL_INSTANCE, "Only of a failed update or deprovision a poll is told whether the instance is usable."),
    r("LOI-09", ShouldNot, 16, POLL_INSTANCE, "How an operation ended is not forgotten as soon as it was told."),
    r("LOI-10", May, 15, POLL_INSTANCE, "A poll is told when to ask again."),
    r("LOI-11", Platform, 7, POLL_INSTANCE, "Platforms poll until they are told that it succeeded or failed."),

    r("LOB-01", Must, 14, POLL_BINDING, "Polls for bindings are answered as those for instances are."),
    r("LOB-02", May, 14, POLL_BINDING, "There is one asynchronous operation at a time for each binding."),
    r("LOB-03", MustNot, 14, POLL_BINDING, "A poll for a binding is not told whether the instance is usable."),
    r("LOB-04", ShouldNot, 16, POLL_BINDING, "How an operation ended is not forgotten as soon as it was told."),
    r("LOB-05", Must, 14, POLL_BINDING, "A binding can be fetched as soon as a poll was told that it is made."),
    r("LOB-06", May, 15, POLL_BINDING, "A poll is told when to ask again."),
    r("DUR-01", May, 15, POLL_FOR, "Platforms give up after the plan's maximum polling duration, or one of their own."),

    r("PROV-01", Must, 0, PROVISION, "An instance is made, and is known by its id from then on."),
    r("PROV-02", May, 16, PROVISION, "Ids can't be used again."),
    r("PROV-03", Must, 0, PROVISION, "The service is one of the catalog."),
    r("PROV-04", Must, 0, PROVISION, "The plan is one of the service."),
    r("PROV-05", Platform, 0, PROVISION, "The organisation and the space are named."),
    r("PROV-06", Platform, 12, PROVISION, "There may be a context."),
    r("PROV-07", Should, 5, PROVISION, "Parameters are checked."),
    r("PROV-08", Must, 15, PROVISION, "A maintenance version that is not the plan's is 422 MaintenanceInfoConflict."),
    r("PROV-09", Must, 7, PROVISION, "What can only be done asynchronously is 422 AsyncRequired for who does not accept it."),
    r("PROV-10", Must, 0, PROVISION, "An instance that this request has made is answered with 201."),
    r("PROV-11", Should, 0, PROVISION, "An instance that is there already, and the same, is answered with 200."),
    r("PROV-12", Must, 7, PROVISION, "An instance that is still being made is answered with 202."),
    r("PROV-13", Must, 12, PROVISION, "The same request while the instance is being made is answered with the same operation."),
    r("PROV-14", Must, 0, PROVISION, "Another instance with the same id, there or being made, is 409."),
    r("PROV-15", Must, 13, PROVISION, "A malformed request is refused with 400."),
    r("PROV-16", Must, 0, PROVISION, "The dashboard's URL is in the first answer, or in none."),
    r("PROV-17", Must, 9, PROVISION, "The operation's id has 10,000 characters at most."),
    r("PROV-18", May, 16, PROVISION, "The answer has metadata."),

    r("GETI-01", Must, 14, FETCH_INSTANCE, "If instances are retrievable, those of all plans are."),
    r("GETI-02", Must, 14, FETCH_INSTANCE, "An instance can be fetched as soon as a poll was told that it is made."),
    r("GETI-03", Platform, 16, FETCH_INSTANCE, "Service and plan may be named."),
    r("GETI-04", Must, 14, FETCH_INSTANCE, "An instance is answered with 200 and what is known of it."),
    r("GETI-05", Must, 14, FETCH_INSTANCE, "An instance that is not there, or not yet, is 404."),
    r("GETI-06", Must, 14, FETCH_INSTANCE, "An instance that can't be fetched while it changes is 422 ConcurrencyError."),
    r("GETI-07", May, 15, FETCH_INSTANCE, "Parameters are left out, such as secret ones."),
    r("GETI-08", May, 17, FETCH_INSTANCE, "The version of maintenance is told."),

    r("UPD-01", Must, 4, UPDATE, "That the plan can be changed is said in the catalog."),
    r("UPD-02", Should, 4, UPDATE, "Which changes of plan are possible is told to who asks for another one."),
    r("UPD-03", Must, 15, UPDATE, "That a context alone can be updated is said in the catalog."),
    r("UPD-04", Must, 6, UPDATE, "The service is the instance's."),
    r("UPD-05", MustNot, 12, UPDATE, "Without a plan in the request the plan does not change."),
    r("UPD-06", MustNot, 12, UPDATE, "Without parameters in the request the parameters do not change."),
    r("UPD-07", Should, 5, UPDATE, "Parameters are checked."),
    r("UPD-08", Platform, 12, UPDATE, "There may be a context."),
    r("UPD-09", Platform, 4, UPDATE, "What was before may be told, as a hint."),
    r("UPD-10", Must, 15, UPDATE, "A maintenance version that is not the plan's is 422 MaintenanceInfoConflict."),
    r("UPD-11", Must, 4, UPDATE, "Changes that have been made are answered with 200."),
    r("UPD-12", Must, 7, UPDATE, "Changes that are being made are answered with 202, and the same ones with the same operation."),
    r("UPD-13", Must, 13, UPDATE, "A malformed request is refused with 400."),
    r("UPD-14", Must, 4, UPDATE, "A change that is not supported, or not possible now, is 422."),
    r("UPD-15", Must, 14, UPDATE, "A dashboard's URL that changes is in the first answer."),
    r("UPD-16", Must, 9, UPDATE, "The operation's id is not empty."),
    r("UPD-17", MustNot, 14, UPDATE, "Nothing is changed by what is answered with an error."),
    r("UPD-18", May, 16, UPDATE, "An error says whether the instance is usable, and the update repeatable."),

    r("META-01", May, 16, METADATA, "Labels inform; platforms replace all of them by those of the newest answer."),
    r("META-02", May, 17, METADATA, "Attributes may change how a platform treats the instance."),

    r("BIND-01", Must, 0, BINDING, "That plans are bindable is said in the catalog."),
    r("BIND-02", Platform, 0, BINDING, "The binding's id is unique, and the instance exists."),
    r("BIND-03", Must, 0, BINDING, "Service and plan are those of the instance."),
    r("BIND-04", Platform, 13, BINDING, "There may be a context."),
    r("BIND-05", Platform, 8, BINDING, "What is bound is named in the bind resource, or as app_guid by older platforms."),
    r("BIND-06", Should, 5, BINDING, "Parameters are checked."),
    r("BIND-07", Must, 0, BINDING, "A binding that this request has made is answered with 201."),
    r("BIND-08", Should, 0, BINDING, "A binding that is there already, and the same, is answered with 200."),
    r("BIND-09", Must, 14, BINDING, "A binding that is still being made is answered with 202, and the same one with the same operation."),
    r("BIND-10", MustNot, 14, BINDING, "A 202 has nothing of what the binding gives."),
    r("BIND-11", Must, 0, BINDING, "Another binding with the same id, there or being made, is 409."),
    r("BIND-12", Must, 6, BINDING, "A bind that lacks the application it needs is 422 RequiresApp."),
    r("BIND-13", Must, 14, BINDING, "A bind that other work does not allow is 422 ConcurrencyError."),
    r("BIND-14", Must, 14, BINDING, "What can only be done asynchronously is 422 AsyncRequired for who does not accept it."),
    r("BIND-15", Must, 13, BINDING, "A malformed request is refused with 400."),
    r("BIND-16", Must, 0, BINDING, "Credentials are an object, and of this binding alone."),
    r("BIND-17", Must, 14, BINDING, "What a binding gives is handed out at least once."),
    r("BIND-18", Must, 0, BINDING, "Who drains logs says where to, and that the platform has to allow it."),
    r("BIND-19", Must, 8, BINDING, "Who serves routes says so in the catalog, and where to if the platform has to forward."),
    r("BIND-20", Must, 10, BINDING, "Who has volumes says how to mount them, and that the platform has to allow it."),
    r("BIND-21", Must, 10, BINDING, "A volume mount has driver, directory, mode, type and device."),
    r("BIND-22", Should, 15, BINDING, "All network endpoints that an application uses are listed."),
    r("BIND-23", Must, 15, BINDING, "An endpoint has a host, and ports that are strings."),
    r("BIND-24", May, 16, BINDING, "A binding says when it expires, and when to renew it."),
    r("BIND-25", Must, 16, BINDING, "Both times are in UTC with one digit of fraction, and the renewal is not the later one."),
    r("BIND-26", Must, 14, BINDING, "The operation's id has 10,000 characters at most."),

    r("ROT-01", Must, 17, ROTATION, "That bindings can be rotated is said in the catalog."),
    r("ROT-02", Platform, 17, ROTATION, "The predecessor is a binding of the same instance that has not expired."),
    r("ROT-03", Must, 17, ROTATION, "The new binding and the old one work in parallel."),
    r("ROT-04", Must, 17, ROTATION, "A rotation is answered as a bind is."),
    r("ROT-05", Should, 17, ROTATION, "What a rotation does not say is as it was for the predecessor."),

    r("GETB-01", Must, 14, FETCH_BINDING, "If bindings are retrievable, those of all bindable plans are."),
    r("GETB-02", Must, 14, FETCH_BINDING, "A binding can be fetched as soon as a poll was told that it is made."),
    r("GETB-03", Must, 14, FETCH_BINDING, "A binding is answered with 200; one that is not there, or not yet, with 404."),
    r("GETB-04", Must, 14, FETCH_BINDING, "Credentials of a binding that was made asynchronously are in the answer."),
    r("GETB-05", May, 15, FETCH_BINDING, "Parameters are left out, such as secret ones."),

    r("UNB-01", Must, 0, UNBIND, "Everything that belongs to a binding is deleted."),
    r("UNB-02", Must, 0, UNBIND, "Service and plan are named."),
    r("UNB-03", Must, 0, UNBIND, "Deleted is 200, still at it 202 with the same operation, not there 410."),
    r("UNB-04", Must, 14, UNBIND, "What can't be done is 422: AsyncRequired or ConcurrencyError."),
    r("UNB-05", Must, 15, UNBIND, "An unbind that is accepted during the bind stops it and removes what it made."),
    r("UNB-06", Should, 15, UNBIND, "A poll tells of the unbind then, and of the bind that it failed."),
    r("UNB-07", Must, 15, UNBIND, "The operation's id has 10,000 characters at most."),

    r("DEP-01", Must, 0, DEPROVISION, "Everything that provisioning made is deleted."),
    r("DEP-02", Platform, 14, DEPROVISION, "Platforms delete the bindings first; what happens otherwise is open."),
    r("DEP-03", Must, 0, DEPROVISION, "Service and plan are named."),
    r("DEP-04", Must, 0, DEPROVISION, "Deleted is 200, still at it 202 with the same operation, not there 410."),
    r("DEP-05", Must, 7, DEPROVISION, "What can't be done is 422: AsyncRequired or ConcurrencyError."),
    r("DEP-06", Must, 15, DEPROVISION, "A deletion that is accepted during the creation stops it and removes what it made."),
    r("DEP-07", Should, 15, DEPROVISION, "A poll tells of the deletion then, and of the creation that it failed."),
    r("DEP-08", Must, 15, DEPROVISION, "The operation's id has 10,000 characters at most."),
    r("DEP-09", May, 16, DEPROVISION, "An error says whether the instance is usable."),

    r("ORP-01", Platform, 4, ORPHANS, "The broker has what the platform knows of, and nothing else."),
    r("ORP-02", Should, 4, ORPHANS, "A deletion of what failed, timed out or never arrived is answered, and can be repeated."),
    r("ORP-03", May, 14, ORPHANS, "What is believed to be an orphan is deleted."),
    r("ORP-04", Platform, 4, ORPHANS, "Platforms delete after failures that leave open what there is."),

    r("PROF-01", Platform, 12, PROFILE, "A context names its platform."),
    r("PROF-02", Platform, 12, PROFILE, "The context of Cloud Foundry has organisation, space and instance."),
    r("PROF-03", Platform, 12, PROFILE, "The context of Kubernetes has namespace, cluster and instance."),
    r("PROF-04", Platform, 13, PROFILE, "The originating identity has a user id, or name, uid and groups."),
    r("PROF-05", Platform, 14, PROFILE, "The bind resource of Cloud Foundry has application, space, route and client."),
    r("PROF-10", Recommended, 13, PROFILE, "The metadata of offerings has names that platforms know."),
    r("PROF-11", Recommended, 13, PROFILE, "The metadata of plans has names that platforms know."),
    r("PROF-20", Must, 3, PROFILE, "A dashboard client has an id and a secret."),
];
