//! The gate: who asks, and in which version. It reads headers only, so nothing is refused for a body before (T59).

use http::{HeaderMap, request::Parts};

use super::{HttpSettings, MissingVersion, Platforms, platforms::Place, refusal::Refusal};
use crate::protocol::{ApiVersion, headers};

/// Lets a request through, with the version its platform speaks.
pub(super) async fn pass(
    request: &Parts,
    place: &Place<'_>,
    platforms: &Platforms,
    settings: &HttpSettings,
) -> Result<ApiVersion, Refusal> {
    admit(request, place, platforms, settings).await?;
    version(&request.headers, settings)
}

/// Lets a request through that has no version.
pub(super) async fn admit(
    request: &Parts,
    place: &Place<'_>,
    platforms: &Platforms,
    settings: &HttpSettings,
) -> Result<(), Refusal> {
    match place.credentials.admit(request, settings.authentication_timeout).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(Refusal::Unauthorized(platforms.challenges())),
        Err(error) => Err(Refusal::CannotAuthenticate(error)),
    }
}

fn version(headers: &HeaderMap, settings: &HttpSettings) -> Result<ApiVersion, Refusal> {
    let oldest = settings.minimum_version;
    let sent = headers.get(headers::VERSION).map_or(&b""[..], |value| value.as_bytes().trim_ascii());
    if sent.is_empty() {
        return match settings.missing_version {
            MissingVersion::Refuse400 => Err(Refusal::BadVersion(
                "The header X-Broker-API-Version is missing; it has to say which version of the API the platform uses.",
            )),
            MissingVersion::Refuse412 => Err(Refusal::WrongVersion(format!(
                "The header X-Broker-API-Version is missing; this broker serves {}.",
                served(oldest)
            ))),
            MissingVersion::AssumeOldest => Ok(oldest),
        };
    }
    let sent: ApiVersion = std::str::from_utf8(sent).ok().and_then(|text| text.parse().ok()).ok_or(
        Refusal::BadVersion("The header X-Broker-API-Version has to be a version of the form MAJOR.MINOR, as in 2.17."),
    )?;
    // A newer 2.x only adds what can be ignored (EXT-03).
    if sent.major() == ApiVersion::LATEST.major() && sent >= oldest {
        Ok(sent)
    } else {
        Err(Refusal::WrongVersion(format!(
            "The platform sent X-Broker-API-Version {sent}; this broker serves {}.",
            served(oldest)
        )))
    }
}

fn served(oldest: ApiVersion) -> String {
    format!("{oldest} to {}", ApiVersion::LATEST)
}
