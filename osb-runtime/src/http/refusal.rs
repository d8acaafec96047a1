//! What is answered without asking the broker.

use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{ALLOW, WWW_AUTHENTICATE},
};

use super::BoxError;
use crate::protocol::{Answer, parse::Malformed};

/// Why a request goes no further.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Says what may be tried.
    Unauthorized(Vec<HeaderValue>),
    /// It can't be told whether the credentials are good.
    CannotAuthenticate(BoxError),
    /// The version is missing, or no version.
    BadVersion(&'static str),
    /// A version that is not served; says which is, and which was sent (HDR-02, S03).
    WrongVersion(String),
    NotFound,
    /// The path exists, for these methods.
    Method(&'static str),
    Malformed(Malformed),
    /// The body is larger than so many bytes.
    TooLarge(usize),
    /// The body did not come, or not in time.
    BodyLost(&'static str),
    Panicked,
}

impl Refusal {
    /// The answer, and the headers that have to go with it (T58).
    pub(super) fn into_answer(self) -> (Answer, Vec<(HeaderName, HeaderValue)>) {
        let mut headers = Vec::new();
        let (status, description) = match self {
            Self::Unauthorized(challenges) => {
                headers.extend(challenges.into_iter().map(|challenge| (WWW_AUTHENTICATE, challenge)));
                (StatusCode::UNAUTHORIZED, "The credentials are missing or wrong.".to_owned())
            }
            Self::CannotAuthenticate(error) => {
                tracing::error!(error, "whether a request has good credentials could not be found out");
                let description = "The service broker cannot check credentials at the moment.";
                (StatusCode::INTERNAL_SERVER_ERROR, description.to_owned())
            }
            Self::BadVersion(why) | Self::BodyLost(why) => (StatusCode::BAD_REQUEST, why.to_owned()),
            Self::WrongVersion(why) => (StatusCode::PRECONDITION_FAILED, why),
            Self::NotFound => (StatusCode::NOT_FOUND, "The Open Service Broker API has no such path.".to_owned()),
            Self::Method(allowed) => {
                headers.push((ALLOW, HeaderValue::from_static(allowed)));
                (StatusCode::METHOD_NOT_ALLOWED, format!("This path can be asked with: {allowed}."))
            }
            Self::Malformed(why) => return (why.answer(), headers),
            Self::TooLarge(limit) => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("The body is larger than {limit} bytes, which is the limit."))
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
