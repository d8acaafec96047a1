//! Headers, authentication, URLs, extensions, errors.

use super::{Rule, rules};

pub(super) const RULES: &[Rule] = rules! {
    "API Version Header" {
        "HDR-01" Platform 2 0
            "Every request states the API version of the platform, as MAJOR.MINOR in X-Broker-API-Version."
        "HDR-02" May 2 0
            "A version that the broker does not support is answered 412, with the versions to use."
        "HDR-03" May 2 16
            "A request without a version is answered 400, with a message that it is missing."
    }
    "Originating Identity" {
        "HDR-04" Platform 2 13
            "X-Broker-API-Originating-Identity names the user who caused a request; it may be absent from any request."
    }
    "Request Identity" {
        "HDR-05" Should 2 15
            "Every response, errors included, repeats the X-Broker-API-Request-Identity of its request."
        "HDR-06" May 2 15
            "Log lines caused by a request contain its request identity."
    }
    "Content Type" {
        "HDR-07" Should 2 14
            "Every response with a body has the Content-Type application/json."
        "HDR-08" May 2 14
            "A body is read even if the request has no Content-Type."
        "HDR-09" Should 2 14
            "A body that cannot be processed, or has another Content-Type, is answered 400."
    }
    "Polling Last Operation for Service Instances" {
        "HDR-10" May 2 15
            "The response to a poll has a Retry-After, preferably in seconds."
    }
    "Catalog Management" {
        "HDR-11" May 2 16
            "A platform that already has the current catalog is answered 304."
    }
    "Platform to Service Broker Authentication" {
        "AUTH-01" Must 2 0
            "If the broker demands authentication, it demands it of every request, and answers 401 if it fails."
        "AUTH-02" Platform 2 0
            "Platforms use HTTP Basic unless agreed otherwise, so a broker supports it."
        "AUTH-03" May 2 13
            "Platform and broker may agree on another way to authenticate, such as a bearer token."
        "AUTH-04" Recommended 2 11
            "Traffic is encrypted with TLS and authenticated."
    }
    "API Overview" {
        "AUTH-05" May 2 0
            "Several platforms may share a broker, each with its own URL prefix and credentials."
    }
    "URL Properties" {
        "URL-01" Must 2 13
            "Ids may contain any character, so they are percent-decoded in paths and queries."
        "URL-02" Recommended 2 13
            "Ids and operations chosen by the broker consist of letters, digits and `-._~`."
    }
    "Vendor Extension Fields" {
        "EXT-01" Must 2 14 from 2 0
            "Unknown fields of a request are ignored and cause no failure."
        "EXT-02" May 2 14
            "A broker may add fields of its own, preferably with a unique prefix."
    }
    "Change Policy for Minor Versions" {
        "EXT-03" MustNot 2 0
            "Endpoints and fields of the specification are neither removed nor renamed within major version 2."
    }
    "Service Broker Errors" {
        "ERR-01" Must 2 14 from 2 0
            "A failed request has a fitting status, and the specified one where there is one."
        "ERR-02" Must 2 14
            "`error` is absent or a single CamelCase word that identifies the error."
        "ERR-03" Must 2 14 from 2 0
            "`description` is absent or a non-empty message for the user."
    }
    "Error Codes" {
        "ERR-04" Must 2 7
            "`AsyncRequired` is the error if the operation is only possible asynchronously and the request does not accept that."
        "ERR-05" Must 2 14
            "`ConcurrencyError` is the error if another operation on the same resource is in progress."
        "ERR-06" Must 2 6
            "`RequiresApp` is the error if a binding requires an application and the request names none."
        "ERR-07" Must 2 15
            "`MaintenanceInfoConflict` is the error if the requested maintenance version differs from the catalog's."
    }
    "Service Broker Errors" {
        "ERR-08" Must 2 14
            "After a 4xx the state is unchanged, unless a rule says otherwise."
        "ERR-09" Should 2 14
            "After a 5xx the state is unchanged."
        "ERR-10" MustNot 2 16
            "Only errors of updates and deprovisioning have `instance_usable`."
        "ERR-11" MustNot 2 16
            "Only errors of updates have `update_repeatable`."
        "ERR-12" Must 2 13
            "A request that is malformed or lacks mandatory data is answered 400."
        "ERR-13" May 2 16
            "A well-formed request with invalid data is answered 400."
    }
};
