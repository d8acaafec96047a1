//! What is answered without asking the broker.

use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{ALLOW, WWW_AUTHENTICATE},
};

use crate::protocol::{Answer, parse::Malformed};

/// Why a request goes no further.
#[derive(Debug)]
pub(super) enum Refusal {
    Unauthorized,
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
    /// The answer, and a header that has to go with it (T58).
    pub(super) fn into_answer(self) -> (Answer, Option<(HeaderName, HeaderValue)>) {
        let mut header = None;
        let (status, description) = match self {
            Self::Unauthorized => {
                let challenge = HeaderValue::from_static("Basic realm=\"service broker\", charset=\"UTF-8\"");
                header = Some((WWW_AUTHENTICATE, challenge));
                (StatusCode::UNAUTHORIZED, "The user or the password is missing or wrong.".to_owned())
            }
            Self::BadVersion(why) | Self::BodyLost(why) => (StatusCode::BAD_REQUEST, why.to_owned()),
            Self::WrongVersion(why) => (StatusCode::PRECONDITION_FAILED, why),
            Self::NotFound => (StatusCode::NOT_FOUND, "The Open Service Broker API has no such path.".to_owned()),
            Self::Method(allowed) => {
                header = Some((ALLOW, HeaderValue::from_static(allowed)));
                (StatusCode::METHOD_NOT_ALLOWED, format!("This path can be asked with: {allowed}."))
            }
            Self::Malformed(why) => return (why.answer(), None),
            Self::TooLarge(limit) => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("The body is larger than {limit} bytes, which is the limit."))
            }
            Self::Panicked => (StatusCode::INTERNAL_SERVER_ERROR, "The service broker failed unexpectedly.".to_owned()),
        };
        (Answer::error(status, None, description), header)
    }
}

impl From<Malformed> for Refusal {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}
