//! Error answers that don't reach the broker.

use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE},
};

use super::BoxError;
use crate::protocol::{Answer, parse::Malformed};

/// The reason why a request is rejected.
#[derive(Debug)]
pub(super) enum Refusal {
    /// With the challenges for `WWW-Authenticate`.
    Unauthorized(Vec<HeaderValue>),
    /// Checking the credentials failed.
    CannotAuthenticate(BoxError),
    /// The version header is missing or malformed.
    BadVersion(&'static str),
    /// The version is not supported. The text names both versions (HDR-02, S03).
    WrongVersion(String),
    NotFound,
    /// The path exists, but only for these methods.
    Method(String),
    Malformed(Malformed),
    /// The body is larger than this limit in bytes, or than that of a layer around the broker.
    TooLarge(Option<usize>),
    /// The body did not arrive completely or in time.
    BodyLost(&'static str),
    /// The request can be repeated soon.
    Unavailable(&'static str),
    Panicked,
}

/// The seconds after which an unavailable broker may be available again.
const RETRY_SOON: u16 = 5;

impl Refusal {
    /// Returns the answer and its additional headers (T58).
    pub(super) fn into_answer(self) -> (Answer, Vec<(HeaderName, HeaderValue)>) {
        let mut headers = Vec::new();
        let (status, description) = match self {
            Self::Unauthorized(challenges) => {
                headers.extend(challenges.into_iter().map(|challenge| (WWW_AUTHENTICATE, challenge)));
                (StatusCode::UNAUTHORIZED, "The credentials are missing or wrong.".to_owned())
            }
            Self::CannotAuthenticate(error) => {
                tracing::error!(error, "checking the credentials of a request failed");
                let description = "The service broker can't check credentials at the moment.";
                (StatusCode::INTERNAL_SERVER_ERROR, description.to_owned())
            }
            Self::BadVersion(why) | Self::BodyLost(why) => (StatusCode::BAD_REQUEST, why.to_owned()),
            Self::WrongVersion(why) => (StatusCode::PRECONDITION_FAILED, why),
            Self::NotFound => (StatusCode::NOT_FOUND, "The Open Service Broker API has no such path.".to_owned()),
            Self::Method(allowed) => {
                headers.extend(HeaderValue::try_from(&*allowed).map(|allowed| (ALLOW, allowed)));
                (StatusCode::METHOD_NOT_ALLOWED, format!("Method not allowed; this path supports: {allowed}."))
            }
            Self::Malformed(why) => return (why.answer(), headers),
            Self::TooLarge(limit) => {
                let limit = limit.map_or_else(String::new, |limit| format!(" of {limit} bytes"));
                (StatusCode::PAYLOAD_TOO_LARGE, format!("The body is larger than the limit{limit}."))
            }
            Self::Unavailable(why) => {
                headers.push((RETRY_AFTER, RETRY_SOON.into()));
                (StatusCode::SERVICE_UNAVAILABLE, why.to_owned())
            }
            Self::Panicked => (StatusCode::INTERNAL_SERVER_ERROR, "The service broker failed unexpectedly.".to_owned()),
        };
        (Answer::error(status, None, description), headers)
    }
}

impl From<Malformed> for Refusal {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}
