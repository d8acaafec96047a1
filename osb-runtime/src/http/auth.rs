//! Who may ask: HTTP Basic, which every platform uses unless something else was agreed upon (AUTH-02), bearer tokens, and
//! whatever an author adds (AUTH-03).

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, header::AUTHORIZATION, request::Parts};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq};
use tokio::time::timeout;

use super::BoxError;
use crate::protocol::headers::decode_base64;

/// What a platform may authenticate with: several users and passwords, tokens, and ways of one's own, all as good as
/// each other, so that they can be rotated (AUTH-05).
///
/// Only digests are kept, and a comparison takes as long whichever of them matches.
///
/// ```
/// use osb_runtime::http::Credentials;
/// # fn main() -> Result<(), osb_runtime::http::InvalidCredentials> {
/// let credentials = Credentials::basic("platform", "the new secret")?.or_basic("platform", "the old secret")?;
/// let credentials = credentials.or_bearer("a-long-random-token")?;
/// # let _ = credentials; Ok(()) }
/// ```
#[derive(Clone)]
pub struct Credentials {
    /// Of `user:password`; unambiguous, as a user has no colon.
    pairs: Vec<Digest>,
    tokens: Vec<Digest>,
    others: Vec<Arc<dyn Erased>>,
}

/// SHA-256
type Digest = [u8; 32];

impl Credentials {
    /// What nobody has.
    pub(super) fn nobodys() -> Self {
        Self { pairs: Vec::new(), tokens: Vec::new(), others: Vec::new() }
    }

    /// One user and password, for HTTP Basic.
    ///
    /// # Errors
    ///
    /// If one is empty or has control characters, or if the user has a colon.
    pub fn basic(user: &str, password: &str) -> Result<Self, InvalidCredentials> {
        Self::nobodys().or_basic(user, password)
    }

    /// Another user and password that are as good.
    ///
    /// # Errors
    ///
    /// As [`basic`](Self::basic).
    pub fn or_basic(mut self, user: &str, password: &str) -> Result<Self, InvalidCredentials> {
        if user.is_empty() || password.is_empty() {
            return Err(InvalidCredentials("user and password must not be empty"));
        }
        if user.contains(':') {
            return Err(InvalidCredentials("a user must not contain a colon: it separates user and password"));
        }
        if user.chars().chain(password.chars()).any(char::is_control) {
            return Err(InvalidCredentials("user and password must not contain control characters (a line's end?)"));
        }
        self.pairs.push(Sha256::digest(format!("{user}:{password}")).into());
        Ok(self)
    }

    /// One bearer token (RFC 6750), which the platform was told: `Authorization: Bearer <token>`.
    ///
    /// # Errors
    ///
    /// If it is empty, or has other characters than the visible ones of ASCII.
    pub fn bearer(token: &str) -> Result<Self, InvalidCredentials> {
        Self::nobodys().or_bearer(token)
    }

    /// A bearer token that is as good.
    ///
    /// # Errors
    ///
    /// As [`bearer`](Self::bearer).
    pub fn or_bearer(mut self, token: &str) -> Result<Self, InvalidCredentials> {
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidCredentials("a token has one or more characters, all of them visible ones of ASCII"));
        }
        self.tokens.push(Sha256::digest(token).into());
        Ok(self)
    }

    /// A way of one's own to authenticate.
    #[must_use]
    pub fn custom(how: impl Authenticate) -> Self {
        Self::nobodys().or_custom(how)
    }

    /// A way of one's own that is as good. It is asked only for requests that have no known pair or token.
    #[must_use]
    pub fn or_custom(mut self, how: impl Authenticate) -> Self {
        self.others.push(Arc::new(how));
        self
    }

    /// Whether somebody who has the one may have the other; of custom ways nobody knows.
    pub(super) fn shares_some_with(&self, other: &Self) -> bool {
        let shares = |one: &[Digest], other: &[Digest]| one.iter().any(|digest| other.contains(digest));
        shares(&self.pairs, &other.pairs) || shares(&self.tokens, &other.tokens)
    }

    /// Whether a request may go on; each custom way has so much time to tell.
    ///
    /// # Errors
    ///
    /// If nothing admits it, and a custom way could not tell.
    pub(super) async fn admit(&self, request: &Parts, within: Duration) -> Result<bool, BoxError> {
        if self.knows(&request.headers) {
            return Ok(true);
        }
        let mut failure = None;
        for other in &self.others {
            match timeout(within, other.admit(request)).await {
                Ok(Ok(true)) => return Ok(true),
                Ok(Ok(false)) => {}
                Ok(Err(error)) => failure = Some(error),
                Err(elapsed) => failure = Some(elapsed.into()),
            }
        }
        failure.map_or(Ok(false), Err)
    }

    /// Whether a request has one of the pairs or tokens.
    fn knows(&self, headers: &HeaderMap) -> bool {
        let Some(sent) = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes) else { return false };
        let (sent, known) = if let Some(encoded) = of_scheme(sent, b"Basic ") {
            let Some(pair) = decode_base64(encoded) else { return false };
            (Sha256::digest(pair), &self.pairs)
        } else if let Some(token) = of_scheme(sent, b"Bearer ") {
            (Sha256::digest(token), &self.tokens)
        } else {
            return false;
        };
        let sent: Digest = sent.into();
        known.iter().fold(Choice::from(0), |found, digest| found | digest.ct_eq(&sent)).into()
    }

    /// What a stranger may try, for `WWW-Authenticate` (T58).
    pub(super) fn challenges(&self) -> impl Iterator<Item = HeaderValue> {
        let basic = HeaderValue::from_static("Basic realm=\"service broker\", charset=\"UTF-8\"");
        let bearer = HeaderValue::from_static("Bearer realm=\"service broker\"");
        let basic = (!self.pairs.is_empty()).then_some(basic);
        let bearer = (!self.tokens.is_empty()).then_some(bearer);
        basic.into_iter().chain(bearer).chain(self.others.iter().map(|other| other.challenge()))
    }
}

/// The user of a pair.
pub(super) fn user(authorization: &[u8]) -> Option<String> {
    let pair = decode_base64(of_scheme(authorization, b"Basic ")?)?;
    let end = pair.iter().position(|byte| *byte == b':')?;
    String::from_utf8(pair[..end].to_vec()).ok()
}

/// What an `Authorization` header has after its scheme, which is given with a space.
fn of_scheme<'a>(value: &'a [u8], scheme: &[u8]) -> Option<&'a [u8]> {
    let (sent, rest) = value.split_at_checked(scheme.len())?;
    sent.eq_ignore_ascii_case(scheme).then(|| rest.trim_ascii())
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, tokens, others } = self;
        write!(f, "Credentials({} pairs, {} tokens, {} custom)", pairs.len(), tokens.len(), others.len())
    }
}

/// A way to authenticate platforms that was agreed upon with them (AUTH-03): tokens that somebody else issues and that
/// expire, signatures, or certificates of clients, whose details a program that mounts the broker puts into the
/// extensions of a request.
///
/// ```
/// use http::{HeaderValue, request::Parts};
/// use osb_runtime::http::{Authenticate, BoxError, Credentials};
///
/// /// The name in a client's certificate, as the program's TLS side found it.
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
/// let credentials = Credentials::custom(Certificates);
/// # let _ = credentials;
/// ```
pub trait Authenticate: Send + Sync + 'static {
    /// Whether whoever sent the request may ask this broker. Secrets in it, such as the header `Authorization`, belong
    /// into no log; they are to be compared in constant time. What takes longer than
    /// [`authentication_timeout`](super::HttpSettings::authentication_timeout) is an error.
    ///
    /// # Errors
    ///
    /// If it can't tell, because somebody else has to be asked who does not answer. The request is then answered 500 and
    /// the error is logged, unless something else admits it.
    fn admit(&self, request: &Parts) -> impl Future<Output = Result<bool, BoxError>> + Send;

    /// What a stranger is told in `WWW-Authenticate`: a scheme, and usually a realm.
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

/// A user, a password or a token that HTTP can't carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCredentials(&'static str);

impl fmt::Display for InvalidCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for InvalidCredentials {}
