//! Headers, authentication, URLs, extensions, errors.

use super::{Rule, rules};

pub(super) const RULES: &[Rule] = rules! {
    "API Version Header" {
        "HDR-01" Platform 2 0
            "Every request says the version of the API that the platform speaks, as MAJOR.MINOR in X-Broker-API-Version."
        "HDR-02" May 2 0
            "A version that the broker does not serve is answered 412, with the version to use."
        "HDR-03" May 2 16
            "A request without a version is answered 400, and told that it is missing."
    }
    "Originating Identity" {
        "HDR-04" Platform 2 13
            "X-Broker-API-Originating-Identity names the user who caused a request; it may be absent from any request."
    }
    "Request Identity" {
        "HDR-05" Should 2 15
            "The X-Broker-API-Request-Identity of a request is sent back with the answer, whatever its status."
        "HDR-06" May 2 15
            "The log lines that a request causes have its identity."
    }
    "Content Type" {
        "HDR-07" Should 2 14
            "Every answer that has a body says that it is application/json."
        "HDR-08" May 2 14
            "A body is read although no Content-Type says what it is."
        "HDR-09" Should 2 14
            "A body that cannot be processed, or is of another Content-Type, is answered 400."
    }
    "Polling Last Operation for Service Instances" {
        "HDR-10" May 2 15
            "An answer to a poll has a Retry-After, preferably in seconds."
    }
    "Catalog Management" {
        "HDR-11" May 2 16
            "A platform that has the current catalog is answered 304."
    }
    "Platform to Service Broker Authentication" {
        "AUTH-01" Must 2 0
            "Every request is authenticated if any is, and is answered 401 if that fails."
        "AUTH-02" Platform 2 0
            "Platforms use HTTP Basic unless something else was agreed upon, so a broker offers it."
        "AUTH-03" May 2 13
            "Platform and broker agree on another way to authenticate, such as a bearer token."
        "AUTH-04" Recommended 2 11
            "Traffic is encrypted by TLS and authenticated."
    }
    "API Overview" {
        "AUTH-05" May 2 0
            "Several platforms share a broker, with URL prefixes and credentials of their own."
    }
    "URL Properties" {
        "URL-01" Must 2 13
            "Ids may have any character, so they are percent-decoded in paths and in queries."
        "URL-02" Recommended 2 13
            "Ids and operations that the broker chooses consist of letters, digits and `-._~`."
    }
    "Vendor Extension Fields" {
        "EXT-01" Must 2 14
            "Fields of a request that the broker does not know are ignored and stop nothing."
        "EXT-02" May 2 14
            "A broker adds fields of its own, preferably with a unique prefix."
    }
    "Change Policy for Minor Versions" {
        "EXT-03" MustNot 2 0
            "Endpoints and fields of the specification are neither left out nor renamed within major version 2."
    }
    "Service Broker Errors" {
        "ERR-01" Must 2 14
            "A request that fails has a fitting status, and the specified one wherever one is."
        "ERR-02" Must 2 14
            "`error` is absent or one word in CamelCase that identifies what went wrong."
        "ERR-03" Must 2 14
            "`description` is absent or a text for the user that is not empty."
    }
    "Error Codes" {
        "ERR-04" Must 2 7
            "`AsyncRequired` is the error if only asynchronous work is possible and the platform cannot wait."
        "ERR-05" Must 2 14
            "`ConcurrencyError` is the error if other work on the same resource is in the way."
        "ERR-06" Must 2 6
            "`RequiresApp` is the error if a binding needs an application and none is named."
        "ERR-07" Must 2 15
            "`MaintenanceInfoConflict` is the error if the requested maintenance version is not the catalog's."
    }
    "Service Broker Errors" {
        "ERR-08" Must 2 14
            "After a 4xx everything is as it was before, unless a rule says otherwise."
        "ERR-09" Should 2 14
            "After a 5xx everything is as it was before."
        "ERR-10" MustNot 2 16
            "`instance_usable` is in no error but those of updates and deprovisioning."
        "ERR-11" MustNot 2 16
            "`update_repeatable` is in no error but those of updates."
        "ERR-12" Must 2 13
            "A request that is malformed or lacks mandatory data is answered 400."
        "ERR-13" May 2 16
            "A request that is well-formed, but whose data is invalid, is answered 400."
    }
};
