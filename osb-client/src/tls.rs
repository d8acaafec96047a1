//! TLS connections to brokers.

use std::sync::Arc;

use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use tokio_rustls::rustls::{
    AlertDescription, CertificateError, ClientConfig, Error, InvalidMessage, RootCertStore,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject as _},
    },
};

use crate::ClientError;

/// Certificates for connections to a broker: those of the authorities to trust, and that of the client, for brokers that require one.
///
/// ```no_run
/// use osb_client::{Client, Tls};
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let tls = Tls::default()
///     .authorities(&std::fs::read("ca.pem")?)?
///     .certificate(&std::fs::read("client.pem")?, &std::fs::read("client.key")?)?;
/// let client = Client::with_tls("https://broker.example.com", tls)?.basic("platform", "secret");
/// # let _ = client; Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct Tls {
    authorities: Option<RootCertStore>,
    own: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
}

impl Tls {
    /// Trusts only these certificate authorities, given as certificates in PEM, in place of those of the operating system.
    ///
    /// # Errors
    ///
    /// If `pem` contains no certificate, or one that is malformed.
    pub fn authorities(self, pem: &[u8]) -> Result<Self, ClientError> {
        let mut store = RootCertStore::empty();
        let added = certificates(pem).and_then(|certificates| {
            let mut added = certificates.into_iter().map(|certificate| store.add(certificate));
            added.try_for_each(|added| added.map_err(|error| format!("one of them is not accepted: {error}")))
        });
        added.map_err(|why| ClientError::Authorities { why })?;
        Ok(Self { authorities: Some(store), ..self })
    }

    /// Presents this certificate to the broker, if it asks for one: a chain in PEM that begins with the certificate of the client, and
    /// its private key in PEM.
    ///
    /// # Errors
    ///
    /// If `chain` contains no certificate, or `key` no private key without a passphrase.
    pub fn certificate(self, chain: &[u8], key: &[u8]) -> Result<Self, ClientError> {
        let own = certificates(chain).and_then(|chain| {
            let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| {
                format!("there is no private key in PEM without a passphrase: {}", malformed(&error))
            })?;
            Ok((chain, key))
        });
        Ok(Self { own: Some(own.map_err(|why| ClientError::Certificate { why })?), ..self })
    }

    pub(super) fn connector(self) -> Result<HttpsConnector<HttpConnector>, ClientError> {
        let authorities = |why| ClientError::Authorities { why };
        // Explicit, as the program may contain a second crypto provider, and then there is no default.
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().map_err(|error| authorities(error.to_string()))?;
        let builder = match self.authorities {
            None => builder.with_native_roots().map_err(|error| {
                authorities(format!("the operating system has none: {error}; name the ones to trust"))
            })?,
            Some(store) => builder.with_root_certificates(store),
        };
        let config = match self.own {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                builder.with_client_auth_cert(chain, key).map_err(|error| ClientError::Certificate {
                    why: match error {
                        Error::InconsistentKeys(_) => "the private key belongs to another certificate".to_owned(),
                        error => error.to_string(),
                    },
                })?
            }
        };
        Ok(HttpsConnectorBuilder::new().with_tls_config(config).https_or_http().enable_http1().build())
    }
}

/// Reads one or more certificates.
fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read.map_err(|error| format!("one is not a valid certificate in PEM: {}", malformed(&error)))?;
    if read.is_empty() { Err("there is no certificate in PEM".to_owned()) } else { Ok(read) }
}

/// Explains an error in PEM. The parser's own texts can contain the line that it could not read: in a file without line ends, a
/// whole private key.
fn malformed(error: &pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { .. } => "an END line is missing; the file may lack its line ends".to_owned(),
        pem::Error::IllegalSectionStart { .. } => "a BEGIN line is incomplete".to_owned(),
        error => error.to_string(),
    }
}

/// Returns the failure of a TLS handshake, if the error is one.
pub(super) fn failure(url: &str, mut error: &(dyn std::error::Error + 'static)) -> Option<ClientError> {
    // An `io::Error` hides the error that it wraps from `source`.
    while let Some(outer) = error.downcast_ref::<std::io::Error>() {
        error = outer.get_ref()?;
    }
    let url = url.to_owned();
    let why = match error.downcast_ref()? {
        // The second is another authority of the same name.
        Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            return Some(ClientError::UntrustedAuthority { url });
        }
        Error::InvalidCertificate(wrong) => certificate(wrong),
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "its answer is not TLS; if the port speaks plain HTTP, use http:// in the URL".to_owned()
        }
        Error::AlertReceived(AlertDescription::CertificateRequired) => {
            return Some(ClientError::CertificateRequired { url });
        }
        Error::AlertReceived(
            alert @ (AlertDescription::UnknownCA
            | AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::DecryptError),
        ) => format!("it does not accept the certificate of the client ({alert:?})"),
        // A server with OpenSSL and TLS 1.2 also sends this to a client without a certificate.
        Error::AlertReceived(alert @ AlertDescription::HandshakeFailure) => {
            format!("it refuses the TLS connection ({alert:?}); it may require a certificate of the client")
        }
        Error::AlertReceived(alert) => format!("it refuses the TLS connection ({alert:?})"),
        error => format!("the TLS connection failed: {error}"),
    };
    Some(ClientError::Unreachable { url, why })
}

fn certificate(wrong: &CertificateError) -> String {
    match wrong {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired".to_owned(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; compare the clocks of both machines".to_owned()
        }
        CertificateError::NotValidForName => "its certificate is for another host name".to_owned(),
        CertificateError::NotValidForNameContext { expected, presented } => {
            // As `DnsName("localhost")`.
            let names = presented.iter().map(|name| name.split('"').nth(1).unwrap_or(name));
            let names = names.collect::<Vec<_>>().join(", ");
            format!("its certificate is for {names}, not for {}", expected.to_str())
        }
        CertificateError::Revoked => "its certificate was revoked".to_owned(),
        // webpki's error, whose type is not public here.
        CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            "its certificate is one of an authority (CA:TRUE), which a server can't use".to_owned()
        }
        wrong => format!("its certificate is not valid: {wrong}"),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{Request, Response};
    use http_body_util::Full;
    use hyper::{body::Incoming, server::conn::http1, service::service_fn};
    use hyper_util::rt::TokioIo;
    use rcgen::{
        BasicConstraints, CertificateParams, CertifiedKey, IsCa, KeyPair, date_time_ymd, generate_simple_self_signed,
    };
    use tokio::net::TcpListener;
    use tokio_rustls::{
        TlsAcceptor,
        rustls::{ServerConfig, server::WebPkiClientVerifier},
    };

    use super::*;
    use crate::Client;

    /// Returns a new self-signed certificate for `localhost`, and its key.
    fn certified() -> (String, String) {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        (cert.pem(), signing_key.serialize_pem())
    }

    /// Serves an empty catalog over TLS, to clients with one of these certificates if there are any. Returns the port and the
    /// certificate of the server.
    async fn served(clients: Option<&str>) -> (u16, String) {
        let (pem, key) = certified();
        (served_as(&pem, &key, clients).await, pem)
    }

    async fn served_as(pem: &str, key: &str, clients: Option<&str>) -> u16 {
        let provider = || Arc::new(ring::default_provider());
        let config =
            ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().expect("it has some");
        let config = match clients {
            None => config.with_no_client_auth(),
            Some(clients) => {
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(certificates(clients.as_bytes()).expect("certificates"));
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
                config.with_client_cert_verifier(verifier.build().expect("authorities"))
            }
        };
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key");
        let chain = certificates(pem.as_bytes()).expect("a certificate");
        let config = config.with_single_cert(chain, key).expect("they belong together");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // Clients that do not trust this server hang up.
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let answer = service_fn(async |_: Request<Incoming>| {
                        Ok::<_, std::convert::Infallible>(Response::new(Full::new(Bytes::from("{\"services\":[]}"))))
                    });
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
                });
            }
        });
        port
    }

    #[tokio::test]
    async fn only_trusted_servers_are_accepted() {
        let (port, pem) = served(None).await;
        let authorities = |pem: &str| Tls::default().authorities(pem.as_bytes());
        let client = |host: &str, pem: &str| Client::with_tls(&format!("https://{host}:{port}"), authorities(pem)?);
        let trusting = client("localhost", &pem).expect("a good URL");
        assert_eq!(trusting.catalog().await.expect("a catalog").services, []);
        let plain = Client::with_tls(&format!("http://localhost:{port}"), authorities(&pem).expect("a certificate"));
        let plain = plain.expect_err("it would send the credentials unencrypted").to_string();
        assert!(plain.contains("certificates are given, which need https://"), "{plain}");
        let elsewhere = client("127.0.0.1", &pem).expect("a good URL").catalog().await.expect_err("another name");
        assert!(elsewhere.to_string().contains("its certificate is for localhost, not for 127.0.0.1"), "{elsewhere}");
        let (other, _) = certified();
        let stranger = client("localhost", &other).expect("a good URL").catalog().await.expect_err("another authority");
        assert!(stranger.to_string().contains("an authority that is not trusted here"), "{stranger}");
        let both = client("localhost", &(other + &pem)).expect("a good URL").catalog().await;
        assert_eq!(both.expect("the second authority is trusted as well").services, []);
        for (pem, why) in [
            ("", "the certificate authorities cannot be used: there is no certificate in PEM"),
            ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "not a valid certificate in PEM"),
        ] {
            let error = client("localhost", pem).expect_err("no authority is trusted").to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[tokio::test]
    async fn the_reason_why_a_certificate_is_not_valid_is_given() {
        type Change = fn(&mut CertificateParams);
        let cases: [(&[&str], Change, &str); 4] = [
            (&["localhost"], |it| it.not_after = date_time_ymd(2020, 1, 1), "its certificate has expired"),
            (
                &["localhost"],
                |it| it.not_before = date_time_ymd(3000, 1, 1),
                "its certificate is not valid yet; compare the clocks of both machines",
            ),
            (
                &["localhost"],
                |it| it.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
                "its certificate is one of an authority (CA:TRUE), which a server can't use",
            ),
            (&["a.example", "b.example"], |_| {}, "its certificate is for a.example, b.example, not for localhost"),
        ];
        for (names, change, said) in cases {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let mut parameters = CertificateParams::new(names).expect("names");
            change(&mut parameters);
            let key = KeyPair::generate().expect("a key");
            let pem = parameters.self_signed(&key).expect("a certificate").pem();
            let url = format!("https://localhost:{}", served_as(&pem, &key.serialize_pem(), None).await);
            let trusting = Tls::default().authorities(pem.as_bytes()).expect("a certificate");
            let client = Client::with_tls(&url, trusting).expect("a client");
            let error = client.catalog().await.expect_err(said).to_string();
            assert_eq!(error, format!("cannot reach {url}: {said}"));
        }
    }

    #[tokio::test]
    async fn brokers_that_require_a_certificate_of_the_client_get_it() {
        let ((own, key), (other, other_key)) = (certified(), certified());
        let (port, pem) = served(Some(&own)).await;
        let trusting = || Tls::default().authorities(pem.as_bytes()).expect("a certificate");
        let reach = |tls: Tls| Client::with_tls(&format!("https://localhost:{port}"), tls).expect("a client");
        let presenting = |chain: &str, key: &str| trusting().certificate(chain.as_bytes(), key.as_bytes());

        let accepted = reach(presenting(&own, &key).expect("a certificate")).catalog().await;
        assert_eq!(accepted.expect("a catalog").services, []);
        let first = Tls::default().certificate(own.as_bytes(), key.as_bytes()).expect("a certificate");
        let in_this_order = reach(first.authorities(pem.as_bytes()).expect("a certificate")).catalog().await;
        assert_eq!(in_this_order.expect("a catalog").services, []);
        let without = reach(trusting()).catalog().await.expect_err("no certificate").to_string();
        assert!(without.contains("it requires a certificate of the client"), "{without}");
        let stranger = reach(presenting(&other, &other_key).expect("a certificate")).catalog().await;
        let stranger = stranger.expect_err("another certificate").to_string();
        assert!(stranger.contains("it does not accept the certificate of the client"), "{stranger}");

        let mixed = presenting(&own, &other_key).expect("both can be read");
        let mixed = Client::with_tls("https://localhost", mixed).expect_err("the key of another one").to_string();
        assert_eq!(
            mixed,
            "the certificate of the client cannot be used: the private key belongs to another certificate"
        );
        for (chain, key, why) in [
            (key.as_str(), key.as_str(), "there is no certificate in PEM"),
            (&own, &own, "there is no private key in PEM without a passphrase"),
        ] {
            let error = presenting(chain, key).expect_err("a part is missing").to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_private_key_is_in_no_error_and_not_in_debug_output() {
        let (own, key) = certified();
        let line = key.replace('\n', "");
        let beside = own.clone() + &line;
        let present = |chain: &str, key: &str| Tls::default().certificate(chain.as_bytes(), key.as_bytes());
        for (error, what) in [
            (
                present(&own, &line),
                "certificate of the client cannot be used: there is no private key in PEM without a passphrase",
            ),
            (present(&beside, &key), "certificate of the client cannot be used: one is not a valid certificate in PEM"),
            (
                Tls::default().authorities(beside.as_bytes()),
                "certificate authorities cannot be used: one is not a valid certificate in PEM",
            ),
        ] {
            let error = error.expect_err("the file has no line ends").to_string();
            assert_eq!(error, format!("the {what}: an END line is missing; the file may lack its line ends"));
        }
        let error = present(&own, &key[..20]).expect_err("the file is cut off").to_string();
        assert!(error.ends_with("a BEGIN line is incomplete"), "{error}");
        let shown = format!("{:?}", present(&own, &key).expect("a certificate"));
        assert!(shown.contains("[secret key elided]"), "{shown}");
    }
}
