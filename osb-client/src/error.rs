//! Errors of requests.

use std::{error::Error, time::Duration};

use http::{HeaderName, StatusCode};
use http_body_util::LengthLimitError;

use super::{
    Answer,
    transport::{BodyError, LARGEST},
};

/// The error of a request that did not succeed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The URL cannot be used.
    #[error("the URL {url} cannot be used: {why}")]
    Url {
        /// The URL.
        url: String,
        /// The reason.
        why: String,
    },
    /// The value of a header cannot be sent.
    #[error("the value of the header {name} has a character that headers can't have, such as a line end")]
    Header {
        /// The name of the header.
        name: HeaderName,
    },
    /// The certificates of the authorities to trust cannot be used.
    #[error("the certificate authorities cannot be used: {why}")]
    Authorities {
        /// The reason.
        why: String,
    },
    /// The certificate of the client, or its private key, cannot be used.
    #[error("the certificate of the client cannot be used: {why}")]
    Certificate {
        /// The reason.
        why: String,
    },
    /// No connection, or the server does not speak HTTP.
    #[error("cannot reach {url}: {why}")]
    Unreachable {
        /// The URL.
        url: String,
        /// The innermost cause.
        why: String,
    },
    /// The certificate of the server is issued by an authority that the client does not trust.
    #[error("cannot reach {url}: its certificate is issued by an authority that is not trusted here")]
    UntrustedAuthority {
        /// The URL.
        url: String,
    },
    /// The server requires a certificate of the client, and the client has none.
    #[error("cannot reach {url}: it requires a certificate of the client")]
    CertificateRequired {
        /// The URL.
        url: String,
    },
    /// A server responded, but its response cannot be read: it is cut short, or too long.
    #[error("the response from {url} cannot be read: {why}")]
    Unreadable {
        /// The URL.
        url: String,
        /// The reason.
        why: String,
    },
    /// No response in time.
    #[error("{url} did not respond within {} s; platforms give up after 60 s", after.as_secs_f64())]
    TimedOut {
        /// The URL.
        url: String,
        /// The time for which the client has waited.
        after: Duration,
    },
    /// The broker rejected the credentials: 401.
    #[error("the broker rejected the credentials (401)")]
    Unauthorized,
    /// The broker does not support the version of the API: 412.
    #[error("the broker does not support this version of the API (412): {said}")]
    Version {
        /// The broker's message.
        said: String,
    },
    /// The server redirects to another URL. Platforms don't follow redirects, and neither does the client.
    #[error("the server redirects ({status}){}", match to {
        Some(to) => format!(" to {to}; give the URL of the broker there"),
        None => ", but doesn't say where to".to_owned(),
    })]
    Redirected {
        /// The status.
        status: StatusCode,
        /// The `Location`.
        to: Option<String>,
    },
    /// The response does not come from a broker.
    #[error(
        "this is not the response of a broker: {status}, and the body is {}{}",
        not_an_object(said),
        in_the_log(request_identity.as_deref())
    )]
    NotABroker {
        /// Its status.
        status: StatusCode,
        /// The beginning of its body.
        said: String,
        /// The identity of the request, if the status is 5xx.
        request_identity: Option<String>,
    },
    /// The catalog has no list of services.
    #[error("{url} is not a broker: its catalog has no list of services")]
    NoCatalog {
        /// The URL.
        url: String,
    },
    /// The catalog does not have the requested plan.
    #[error("the catalog has no such plan; its plans are {}", listed(known))]
    NoPlan {
        /// The plans of the catalog, as `kv/free`.
        known: Vec<String>,
    },
    /// The catalog does not have the plan for which parameters are given.
    #[error("parameters are given for plan {wanted}, which the catalog does not have; its plans are {}", listed(known))]
    NoPlanOfParameters {
        /// The service and the plan, as `kv/fre`.
        wanted: String,
        /// The plans of the catalog, as `kv/free`.
        known: Vec<String>,
    },
    /// A check is limited to a rule that does not exist, or leaves one out.
    #[error("there is no rule {wanted:?} to check")]
    NoRule {
        /// The id that was given, such as `PROV-144`.
        wanted: String,
    },
    /// The broker refused the request, or failed.
    #[error(
        "the broker responded {status}{}{}{}",
        prefixed(", ", code.as_deref()),
        prefixed(": ", description.as_deref()),
        in_the_log(request_identity.as_deref())
    )]
    Refused {
        /// The status.
        status: StatusCode,
        /// The error code, if there is one.
        code: Option<String>,
        /// The broker's message, if there is one.
        description: Option<String>,
        /// The identity of the request, if the status is 5xx.
        request_identity: Option<String>,
    },
    /// The response to a poll has no `state`, or one that the specification does not have.
    #[error("the response to the poll has no valid `state`: {status}, {said}")]
    NoState {
        /// The status.
        status: StatusCode,
        /// The beginning of its body.
        said: String,
    },
    /// The asynchronous operation failed.
    #[error("the operation failed{}", prefixed(": ", description.as_deref()))]
    Failed {
        /// The broker's message, if there is one.
        description: Option<String>,
    },
    /// The broker knows neither the deletion that it began nor the resource: 404.
    #[error(
        "the broker no longer knows the deletion (404); it has probably ended, but platforms expect 410 or \
         `succeeded`, and may poll until their limit{}",
        prefixed(": ", description.as_deref())
    )]
    ForgottenDeletion {
        /// The broker's message, if there is one.
        description: Option<String>,
    },
    /// The asynchronous operation did not finish in time.
    #[error("{}{}", unfinished(*after, failure.as_deref()), too_long(*retry_after))]
    StillInProgress {
        /// The time for which it was polled.
        after: Duration,
        /// The pause before the next poll, by the broker's `Retry-After`, if it would have exceeded the limit.
        retry_after: Option<Duration>,
        /// The error of the last poll, if it got no state of the operation.
        failure: Option<Box<Self>>,
    },
}

impl ClientError {
    /// Returns whether the broker may have created the instance or the binding although the request for it has failed. A platform
    /// then deletes it, and repeats that until the broker confirms it ("Orphans" in the specification).
    ///
    /// ```no_run
    /// # use osb_client::{Call, Client, ClientError};
    /// # async fn example(client: Client, service_id: &str, plan_id: &str) -> Result<(), ClientError> {
    /// let create = Call::provision("my-store", service_id, plan_id).accepts_incomplete();
    /// if let Err(error) = client.complete(&create, |_| ()).await {
    ///     if error.may_leave_orphan() {
    ///         let deletion = Call::deletion_of(&create, service_id, plan_id).accepts_incomplete();
    ///         client.complete(&deletion, |_| ()).await?;
    ///     }
    ///     return Err(error);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn may_leave_orphan(&self) -> bool {
        match self {
            Self::Refused { status, .. } | Self::NotABroker { status, .. } => {
                *status != StatusCode::OK && (status.is_success() || status.is_server_error())
            }
            // The connection may have ended after the request.
            Self::Unreachable { .. }
            | Self::Unreadable { .. }
            | Self::TimedOut { .. }
            | Self::NoState { .. }
            | Self::Failed { .. }
            | Self::StillInProgress { .. } => true,
            Self::Url { .. }
            | Self::Header { .. }
            | Self::Authorities { .. }
            | Self::Certificate { .. }
            | Self::UntrustedAuthority { .. }
            | Self::CertificateRequired { .. }
            | Self::Unauthorized
            | Self::Version { .. }
            | Self::Redirected { .. }
            | Self::NoCatalog { .. }
            | Self::NoPlan { .. }
            | Self::NoPlanOfParameters { .. }
            | Self::NoRule { .. }
            | Self::ForgottenDeletion { .. } => false,
        }
    }

    /// Classifies the failure of a request that got no whole response.
    pub(super) fn of_failure(url: &str, error: &(dyn Error + 'static)) -> Self {
        let causes = || std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
        let url = url.to_owned();
        // Only the innermost cause is specific; those around it are wrappers such as "client error".
        let innermost = || causes().last().unwrap_or(error).to_string();
        let is_http = |is: fn(&hyper::Error) -> bool| {
            move |error: &(dyn Error + 'static)| error.downcast_ref::<hyper::Error>().is_some_and(is)
        };
        if causes().any(<dyn Error>::is::<LengthLimitError>) {
            return Self::Unreadable { url, why: format!("its body is longer than {} MiB", LARGEST >> 20) };
        }
        if causes().any(is_http(hyper::Error::is_parse_too_large)) {
            return Self::Unreadable { url, why: "its headers are too large".to_owned() };
        }
        if causes().any(<dyn Error>::is::<BodyError>) {
            return Self::Unreadable { url, why: format!("its body is cut short or malformed: {}", innermost()) };
        }
        #[cfg(feature = "tls")]
        if let Some(failure) = causes().find_map(|error| super::tls::failure(&url, error)) {
            return failure;
        }
        let is_plain = url.starts_with("http:") && causes().any(is_http(hyper::Error::is_parse));
        let why = if is_plain {
            "its answer is not HTTP; if the port speaks TLS, use https:// in the URL".to_owned()
        } else {
            innermost()
        };
        Self::Unreachable { url, why }
    }

    /// Classifies an answer that is not a success.
    pub(super) fn of(answer: &Answer) -> Self {
        let description = answer.description();
        let request_identity = answer.request_identity.clone().filter(|_| answer.status.is_server_error());
        match answer.status {
            StatusCode::UNAUTHORIZED => Self::Unauthorized,
            status if status.is_redirection() => {
                Self::Redirected { status, to: answer.header("location").map(str::to_owned) }
            }
            StatusCode::PRECONDITION_FAILED => Self::Version { said: description.unwrap_or_else(|| answer.excerpt()) },
            status if answer.body.is_object() => Self::Refused {
                status,
                code: answer.error().map(|code| code.replace(char::is_control, " ")),
                description,
                request_identity,
            },
            status => Self::NotABroker { status, said: answer.excerpt(), request_identity },
        }
    }
}

/// Returns a text after a separator, or nothing without a text.
fn prefixed(separator: &str, text: Option<&str>) -> String {
    text.map(|text| format!("{separator}{text}")).unwrap_or_default()
}

/// Returns how to find a request in the broker's log.
fn in_the_log(request_identity: Option<&str>) -> String {
    request_identity.map(|identity| format!(" (request identity {identity})")).unwrap_or_default()
}

/// Lists names of a catalog without control characters, as a terminal would interpret them.
fn listed(names: &[String]) -> String {
    names.join(", ").replace(char::is_control, " ")
}

/// Describes a body that is not a JSON object.
fn not_an_object(said: &str) -> String {
    match said.strip_prefix('\u{feff}') {
        Some(rest) => {
            format!("not JSON, because it begins with a byte order mark: {}", rest.trim_start_matches('\u{feff}'))
        }
        None if said.is_empty() => "empty instead of a JSON object".to_owned(),
        None if said.contains(char::REPLACEMENT_CHARACTER) => format!("not UTF-8: {said}"),
        None => format!("not a JSON object: {said}"),
    }
}

fn unfinished(after: Duration, failure: Option<&ClientError>) -> String {
    let after = after.as_secs_f64();
    match failure {
        None => format!("the operation did not finish within {after:.3} s; it continues, and can be polled again"),
        Some(failure) => {
            format!("no poll reported the end of the operation within {after:.3} s; the last one failed: {failure}")
        }
    }
}

fn too_long(pause: Option<Duration>) -> String {
    let asked =
        |pause: Duration| format!("; the broker asked for a pause of {} s, which is too long", pause.as_secs_f64());
    pause.map(asked).unwrap_or_default()
}
