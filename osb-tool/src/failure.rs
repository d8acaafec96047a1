//! Errors with the exit codes of the program.

use std::{error::Error, fmt};

use osb_client::ClientError;
use osb_runtime::http::BoxError;

/// A configuration error, which starting the program again would not fix: it exits with 2 instead of 1, so supervisors such
/// as systemd can be told not to restart it.
///
/// It can be the error itself or one of its causes:
///
/// ```
/// use osb_tool::ConfigError;
/// # use osb_runtime::http::BoxError;
/// fn check(shards: u32) -> Result<(), BoxError> {
///     if shards == 0 {
///         return Err(ConfigError::new("--shards (KV_SHARDS) is 0; write 1 or more").into());
///     }
///     Ok(())
/// }
/// # assert!(check(0).is_err_and(|error| error.is::<ConfigError>()));
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ConfigError(BoxError);

impl ConfigError {
    /// Wraps a text or another error. Name the option, its variable, and what to write.
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(error.into())
    }
}

/// The reason for a non-zero exit code, as a message with advice.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line or the configuration is invalid.
    Usage(String),
    /// The command failed.
    Broken(String),
    /// The failure is in the log already; only the exit code is left.
    Logged(u8),
}

impl Failure {
    /// Describes an error of the author's, with all its causes. `what` begins the message.
    pub(crate) fn of_author(what: &str, error: &BoxError) -> Self {
        let error: &(dyn Error + 'static) = &**error;
        let all = || std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (**error).source());
        let text = all().map(ToString::to_string).collect::<Vec<_>>().join(": ");
        let is_wrong = |error: &(dyn Error + 'static)| error.is::<ConfigError>() || error.is::<clap::Error>();
        let text = format!("{what}{text}");
        if all().any(is_wrong) { Self::Usage(text) } else { Self::Broken(text) }
    }

    /// Describes the failure of a request. If the TLS connection lacks a file, the advice names its option and variable, which begin
    /// with these.
    pub(crate) fn of_request(error: &ClientError, option: &str, variable: &str) -> Self {
        let failure = Self::Broken(error.to_string());
        let (content, name) = match error {
            ClientError::UntrustedAuthority { .. } => ("authority", "ca"),
            ClientError::CertificateRequired { .. } => ("certificate", "cert"),
            _ => return failure,
        };
        let names = format!("--{option}{name} ({variable}_{})", name.to_uppercase());
        failure.with_advice(&format!("name the file of the {content} with {names}"))
    }

    /// The command line or the configuration is invalid, as the error says.
    pub(crate) fn usage(error: impl fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// The command failed, as the error says.
    pub(crate) fn broken(error: impl fmt::Display) -> Self {
        Self::Broken(error.to_string())
    }

    /// Adds a line of advice.
    pub(crate) fn with_advice(self, advice: &str) -> Self {
        match self {
            Self::Usage(text) => Self::Usage(format!("{text}\n  {advice}")),
            Self::Broken(text) => Self::Broken(format!("{text}\n  {advice}")),
            Self::Logged(code) => Self::Logged(code),
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Broken(_) => 1,
            Self::Usage(_) => 2,
            Self::Logged(code) => *code,
        }
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Broken(text) => f.write_str(text),
            Self::Logged(_) => f.write_str("see the log"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_configuration_can_be_the_cause_of_another_one() {
        #[derive(Debug, thiserror::Error)]
        #[error("the shards can't be opened")]
        struct NoShards(#[source] ConfigError);

        let failure = Failure::of_author("", &NoShards(ConfigError::new("--shards is 0")).into());
        assert_eq!((failure.exit_code(), &*failure.to_string()), (2, "the shards can't be opened: --shards is 0"));
    }
}
