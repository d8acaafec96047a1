//! The gate: authentication and API version. It reads only headers, so that no error in a body comes first (T59).

use http::{HeaderValue, request::Parts};

use super::{HttpSettings, MissingVersion, platforms::MatchedPlatform, refusal::Refusal};
use crate::protocol::ApiVersion;

/// Authenticates a request.
pub(super) async fn admit(
    request: &Parts,
    platform: &MatchedPlatform<'_>,
    settings: &HttpSettings,
) -> Result<(), Refusal> {
    match platform.credentials.admit(request, settings.authentication_timeout).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(Refusal::Unauthorized(platform.platforms.challenges())),
        Err(error) => Err(Refusal::CannotAuthenticate(error)),
    }
}

/// Reads the header `X-Broker-API-Version`.
pub(super) fn version(sent: Option<&HeaderValue>, settings: &HttpSettings) -> Result<ApiVersion, Refusal> {
    let oldest = settings.minimum_version;
    let Some(sent) = sent.filter(|value| !value.as_bytes().trim_ascii().is_empty()) else {
        return match settings.missing_version {
            MissingVersion::Refuse400 => Err(Refusal::BadVersion(
                "The header X-Broker-API-Version is missing; it must contain the version of the API that the platform uses.",
            )),
            MissingVersion::Refuse412 => Err(Refusal::WrongVersion(format!(
                "The header X-Broker-API-Version is missing; this broker supports {}.",
                supported(oldest)
            ))),
            MissingVersion::AssumeOldest => Ok(oldest),
        };
    };
    let text = sent.to_str().unwrap_or_default();
    let version: ApiVersion = text.parse().map_err(|_| {
        Refusal::BadVersion("The header X-Broker-API-Version must have the form MAJOR.MINOR, such as 2.17.")
    })?;
    // A newer 2.x adds only fields that can be ignored (EXT-03).
    if version.major() == ApiVersion::LATEST.major() && version >= oldest {
        Ok(version)
    } else {
        Err(Refusal::WrongVersion(format!(
            "The platform sent X-Broker-API-Version {}; this broker supports {}.",
            text.trim(),
            supported(oldest)
        )))
    }
}

fn supported(oldest: ApiVersion) -> String {
    format!("{oldest} to {}", ApiVersion::LATEST)
}
