//! Authentication: HTTP Basic, which is the default of every platform (AUTH-02), bearer tokens, and custom methods (AUTH-03).

use std::{pin::Pin, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, header::AUTHORIZATION, request::Parts};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq};
use tokio::time::timeout;

use super::BoxError;
use crate::{
    protocol::{debug_text, headers::decode_base64},
    service::AsyncHandler,
};

/// The credentials that a platform can authenticate with: any number of users with passwords, bearer tokens, and custom
/// methods. Each of them is sufficient, so they can be rotated (AUTH-05).
///
/// Only digests of passwords and tokens are kept, and they are compared in constant time.
///
/// ```
/// use osb_runtime::http::AcceptedCredentials;
/// # fn main() -> Result<(), osb_runtime::http::InvalidCredentials> {
/// let credentials = AcceptedCredentials::basic("platform", "the new secret")?.or_basic("platform", "the old secret")?;
/// let credentials = credentials.or_bearer("a-long-random-token")?;
/// # let _ = credentials; Ok(()) }
/// ```
#[derive(Clone)]
pub struct AcceptedCredentials {
    /// Digests of `user:password`, which is unambiguous because a user has no colon.
    pairs: Vec<Digest>,
    tokens: Vec<Digest>,
    custom: Vec<Arc<dyn Erased>>,
}

/// A SHA-256 digest, as numbers: comparing its bytes in constant time takes several times as long.
type Digest = [u64; 4];

fn digest(text: impl AsRef<[u8]>) -> Digest {
    let digest: [u8; 32] = Sha256::digest(text).into();
    let (numbers, _) = digest.as_chunks();
    std::array::from_fn(|at| u64::from_ne_bytes(numbers[at]))
}

impl AcceptedCredentials {
    /// Credentials that admit no request.
    pub(super) fn none() -> Self {
        Self { pairs: Vec::new(), tokens: Vec::new(), custom: Vec::new() }
    }

    /// Accepts a user and password with HTTP Basic authentication.
    ///
    /// # Errors
    ///
    /// If one of them is empty or contains control characters, or if the user contains a colon.
    pub fn basic(user: &str, password: &str) -> Result<Self, InvalidCredentials> {
        Self::none().or_basic(user, password)
    }

    /// Also accepts this user and password. The errors are those of [`basic`](Self::basic).
    pub fn or_basic(mut self, user: &str, password: &str) -> Result<Self, InvalidCredentials> {
        if user.is_empty() || password.is_empty() {
            return Err(InvalidCredentials("user and password must not be empty"));
        }
        if user.contains(':') {
            return Err(InvalidCredentials("a user must not contain a colon, which separates user and password"));
        }
        if user.chars().chain(password.chars()).any(char::is_control) {
            return Err(InvalidCredentials(
                "user and password must not contain control characters, such as a trailing newline",
            ));
        }
        self.pairs.push(digest(format!("{user}:{password}")));
        Ok(self)
    }

    /// Accepts a bearer token (RFC 6750) that is configured in the platform: `Authorization: Bearer <token>`.
    ///
    /// # Errors
    ///
    /// If the token is empty or contains anything but visible ASCII characters.
    pub fn bearer(token: &str) -> Result<Self, InvalidCredentials> {
        Self::none().or_bearer(token)
    }

    /// Also accepts this bearer token. The errors are those of [`bearer`](Self::bearer).
    pub fn or_bearer(mut self, token: &str) -> Result<Self, InvalidCredentials> {
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidCredentials("a token must consist of one or more visible ASCII characters"));
        }
        self.tokens.push(digest(token));
        Ok(self)
    }

    /// Uses a custom method to authenticate requests.
    pub fn custom(method: impl Authenticate) -> Self {
        Self::none().or_custom(method)
    }

    /// Also uses a custom method. It is called only for requests without a valid user and password or token.
    #[must_use]
    pub fn or_custom(mut self, method: impl Authenticate) -> Self {
        self.custom.push(Arc::new(method));
        self
    }

    /// Returns whether a password or token is in both. Custom methods can't be compared.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let shares = |a: &[Digest], b: &[Digest]| a.iter().any(|digest| b.contains(digest));
        shares(&self.pairs, &other.pairs) || shares(&self.tokens, &other.tokens)
    }

    /// Authenticates a request. Each custom method has the time `within`.
    ///
    /// # Errors
    ///
    /// If a custom method failed and no other admits the request.
    pub(super) async fn admit(&self, request: &Parts, within: Duration) -> Result<bool, BoxError> {
        if self.matches(&request.headers) {
            return Ok(true);
        }
        let mut failure = None;
        for method in &self.custom {
            // A timer is large, and most brokers have no such method.
            match Box::pin(timeout(within, method.admit(request))).await {
                Ok(Ok(true)) => return Ok(true),
                Ok(Ok(false)) => {}
                Ok(Err(error)) => failure = Some(error),
                Err(_) => failure = Some(format!("it took longer than {within:?} (`authentication_timeout`)").into()),
            }
        }
        failure.map_or(Ok(false), Err)
    }

    /// Returns whether a request has one of the passwords or tokens.
    fn matches(&self, headers: &HeaderMap) -> bool {
        let Some(sent) = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes) else { return false };
        let (sent, known) = if let Some(encoded) = strip_scheme(sent, b"Basic ") {
            let Some(pair) = decode_base64(encoded) else { return false };
            (digest(pair), &self.pairs)
        } else if let Some(token) = strip_scheme(sent, b"Bearer ") {
            (digest(token), &self.tokens)
        } else {
            return false;
        };
        known.iter().fold(Choice::from(0), |found, digest| found | digest.ct_eq(&sent)).into()
    }

    /// Returns the values of `WWW-Authenticate` (T58).
    pub(super) fn challenges(&self) -> impl Iterator<Item = HeaderValue> {
        let basic = HeaderValue::from_static("Basic realm=\"service broker\", charset=\"UTF-8\"");
        let bearer = HeaderValue::from_static("Bearer realm=\"service broker\"");
        let basic = (!self.pairs.is_empty()).then_some(basic);
        let bearer = (!self.tokens.is_empty()).then_some(bearer);
        basic.into_iter().chain(bearer).chain(self.custom.iter().map(|method| method.challenge()))
    }
}

/// Returns the user of an HTTP Basic `Authorization` header.
pub(super) fn user(authorization: &[u8]) -> Option<String> {
    let pair = decode_base64(strip_scheme(authorization, b"Basic ")?)?;
    let end = pair.iter().position(|byte| *byte == b':')?;
    String::from_utf8(pair[..end].to_vec()).ok()
}

/// Returns the rest of an `Authorization` header after a scheme. `scheme` ends with a space.
fn strip_scheme<'a>(value: &'a [u8], scheme: &[u8]) -> Option<&'a [u8]> {
    let (sent, rest) = value.split_at_checked(scheme.len())?;
    sent.eq_ignore_ascii_case(scheme).then(|| rest.trim_ascii())
}

debug_text!(
    AcceptedCredentials, Self { pairs, tokens, custom } =>
    "AcceptedCredentials({} passwords, {} tokens, {} custom)", pairs.len(), tokens.len(), custom.len()
);

/// A custom authentication method (AUTH-03), such as expiring tokens from an identity provider, signatures, or client
/// certificates. For certificates, the program that mounts the broker puts their details into the extensions of the request.
///
/// ```
/// use http::{HeaderValue, request::Parts};
/// use osb_runtime::http::{Authenticate, BoxError, AcceptedCredentials};
///
/// /// The subject of a client's certificate, which the program's TLS code has verified.
/// #[derive(Clone)]
/// struct ClientName(String);
///
/// struct Certificates;
///
/// impl Authenticate for Certificates {
///     async fn admit(&self, request: &Parts) -> Result<bool, BoxError> {
///         Ok(request.extensions.get::<ClientName>().is_some_and(|name| name.0 == "cloud-controller"))
///     }
///
///     fn challenge(&self) -> HeaderValue {
///         HeaderValue::from_static("Certificate realm=\"service broker\"")
///     }
/// }
///
/// let credentials = AcceptedCredentials::custom(Certificates);
/// # let _ = credentials;
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a struct of yours that implements `Authenticate`",
    note = "passwords and tokens need none: `serve` has options for them, and `AcceptedCredentials` has functions"
)]
// The method repeats `Self: Sync`, so that the compiler doesn't report its future, too, if the type isn't.
pub trait Authenticate: Send + Sync + 'static {
    /// Returns whether the request is authenticated. Don't log secrets such as the `Authorization` header, and compare
    /// them in constant time. It is an error if this takes longer than
    /// [`authentication_timeout`](super::HttpSettings::authentication_timeout).
    ///
    /// # Errors
    ///
    /// If the request can't be checked, for example because an identity provider does not respond. The answer is then a
    /// 500 and the error is logged, unless another method admits the request.
    fn admit(&self, request: &Parts) -> impl AsyncHandler<Output = Result<bool, BoxError>> + Send
    where
        Self: Sync;

    /// Returns the challenge for `WWW-Authenticate`: a scheme, and usually a realm.
    fn challenge(&self) -> HeaderValue;
}

/// [`Authenticate`] as a trait object.
trait Erased: Send + Sync {
    fn admit<'a>(&'a self, request: &'a Parts) -> Admission<'a>;
    fn challenge(&self) -> HeaderValue;
}

type Admission<'a> = Pin<Box<dyn Future<Output = Result<bool, BoxError>> + Send + 'a>>;

impl<A: Authenticate> Erased for A {
    fn admit<'a>(&'a self, request: &'a Parts) -> Admission<'a> {
        Box::pin(Authenticate::admit(self, request))
    }

    fn challenge(&self) -> HeaderValue {
        Authenticate::challenge(self)
    }
}

/// The error for a user, password or token that can't be sent in an HTTP header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidCredentials(&'static str);
