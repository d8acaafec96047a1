//! Why a request came to nothing.

use std::{error::Error, fmt, time::Duration};

use http::StatusCode;

use super::Answer;

/// Why a request came to nothing: what happened, and what to do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClientError {
    /// The URL cannot be used.
    Url {
        /// The URL.
        url: String,
        /// Why not.
        why: String,
    },
    /// Nobody answers, or what does speaks no HTTP.
    Unreachable {
        /// Where.
        url: String,
        /// What happened.
        why: String,
    },
    /// No answer came in time.
    TimedOut {
        /// Where from.
        url: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The broker does not know the credentials: 401.
    Unauthorized,
    /// The broker does not serve the version: 412.
    Version {
        /// What it said.
        said: String,
    },
    /// What answered is no broker.
    NotABroker {
        /// Its status.
        status: StatusCode,
        /// What it said.
        said: String,
    },
    /// A catalog without services.
    NoCatalog {
        /// Where.
        url: String,
    },
    /// A catalog without the plan that was asked for.
    NoPlan {
        /// The plans that there are, as `kv/free`.
        known: Vec<String>,
    },
    /// The broker refused the request, or failed.
    Refused {
        /// The status.
        status: StatusCode,
        /// The code, if there is one.
        code: Option<String>,
        /// What it said, if it did.
        description: Option<String>,
    },
    /// What went on after the answer failed.
    Failed {
        /// What the broker said, if it did.
        description: Option<String>,
    },
    /// What went on after the answer did not end in time.
    StillInProgress {
        /// How long it was followed.
        after: Duration,
    },
}

impl ClientError {
    pub(super) fn unreachable(url: &str, error: &(dyn Error + 'static)) -> Self {
        // The innermost cause is the one that says what happened; those around it say that something did.
        let innermost = std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source()).last();
        Self::Unreachable { url: url.to_owned(), why: innermost.unwrap_or(error).to_string() }
    }

    /// What an answer means that is not one of success.
    pub(super) fn of(answer: &Answer) -> Self {
        let description = answer.description();
        match answer.status {
            StatusCode::UNAUTHORIZED => Self::Unauthorized,
            StatusCode::PRECONDITION_FAILED => Self::Version { said: description.unwrap_or_else(|| answer.excerpt()) },
            status if answer.body.is_object() => Self::Refused {
                status,
                code: answer.error().map(|code| code.replace(char::is_control, " ")),
                description,
            },
            status => Self::NotABroker { status, said: answer.excerpt() },
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |duration: &Duration| duration.as_secs_f64();
        match self {
            Self::Url { url, why } => write!(f, "the URL {url} cannot be used: {why}"),
            Self::Unreachable { url, why } => write!(f, "no broker can be reached at {url}: {why}"),
            Self::TimedOut { url, after } => {
                write!(f, "{url} did not answer within {} s; platforms give up after 60 s", seconds(after))
            }
            Self::Unauthorized => f.write_str("the broker does not know these credentials (401)"),
            Self::Version { said } => write!(f, "the broker does not serve this version of the API (412): {said}"),
            Self::NotABroker { status, said } if status.is_redirection() => {
                write!(f, "there is no broker but a redirection ({status}) here; give the URL that it leads to: {said}")
            }
            Self::NotABroker { status, said } if said.is_empty() => {
                write!(f, "this is not the answer of a broker: {status}, without the JSON object that it has to be")
            }
            Self::NotABroker { status, said } => {
                write!(f, "this is not the answer of a broker: {status}, which is to be a JSON object and is: {said}")
            }
            Self::NoCatalog { url } => {
                write!(f, "what is at {url} is no broker: its catalog has no list of services")
            }
            Self::NoPlan { known } => write!(f, "there is no such plan; there is {}", known.join(", ")),
            Self::Refused { status, code, description } => {
                write!(f, "the broker said {status}")?;
                code.iter().try_for_each(|code| write!(f, ", {code}"))?;
                description.iter().try_for_each(|text| write!(f, ": {text}"))
            }
            Self::Failed { description } => {
                f.write_str("the operation failed")?;
                description.iter().try_for_each(|text| write!(f, ": {text}"))
            }
            Self::StillInProgress { after } => {
                write!(
                    f,
                    "the operation has not ended within {} s; it goes on, and can be polled again",
                    seconds(after)
                )
            }
        }
    }
}

impl Error for ClientError {}
