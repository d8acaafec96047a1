//! TLS connections to brokers.

use std::sync::Arc;

use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use tokio_rustls::rustls::{
    AlertDescription, CertificateError, ClientConfig, Error, InvalidMessage, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};

/// Returns a connector that trusts these certificate authorities in PEM, or else those of the operating system.
pub(super) fn connector(authorities: Option<&[u8]>) -> Result<HttpsConnector<HttpConnector>, String> {
    // Explicit, as the program may contain a second crypto provider, and then there is no default.
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let builder = match authorities {
        None => builder.with_native_roots().map_err(|error| {
            format!("the operating system has no certificate authorities: {error}; name the ones to trust")
        })?,
        Some(pem) => builder.with_root_certificates(read(pem)?),
    };
    let connector = HttpsConnectorBuilder::new().with_tls_config(builder.with_no_client_auth());
    Ok(connector.https_or_http().enable_http1().build())
}

/// Explains why the TLS handshake failed.
pub(super) fn in_words(mut error: &(dyn std::error::Error + 'static)) -> Option<String> {
    // An `io::Error` hides the error that it wraps from `source`.
    while let Some(outer) = error.downcast_ref::<std::io::Error>() {
        error = outer.get_ref()?;
    }
    Some(match error.downcast_ref()? {
        Error::InvalidCertificate(wrong) => certificate(wrong),
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "its answer is not TLS; if the port speaks plain HTTP, use http:// in the URL".to_owned()
        }
        Error::AlertReceived(AlertDescription::CertificateRequired) => {
            "it requires a certificate of the client".to_owned()
        }
        Error::AlertReceived(alert) => format!("it refuses the TLS connection ({alert:?})"),
        error => format!("the TLS connection failed: {error}"),
    })
}

fn certificate(wrong: &CertificateError) -> String {
    match wrong {
        // The second is another authority of the same name.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "its certificate is issued by an authority that is not trusted here".to_owned()
        }
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

fn read(pem: &[u8]) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| format!("one is not a valid certificate in PEM: {error}"))?;
        store.add(certificate).map_err(|error| format!("one of them is not accepted: {error}"))?;
    }
    if store.is_empty() { Err("there is no certificate in PEM".to_owned()) } else { Ok(store) }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{Request, Response};
    use http_body_util::Full;
    use hyper::{body::Incoming, server::conn::http1, service::service_fn};
    use hyper_util::rt::TokioIo;
    use rcgen::{CertifiedKey, generate_simple_self_signed};
    use tokio::net::TcpListener;
    use tokio_rustls::{
        TlsAcceptor,
        rustls::{ServerConfig, pki_types::PrivateKeyDer},
    };

    use super::*;
    use crate::Client;

    /// Serves an empty catalog over TLS with a new self-signed certificate for `localhost`; returns the port and the
    /// certificate.
    async fn served() -> (u16, String) {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let key = PrivateKeyDer::from_pem_slice(signing_key.serialize_pem().as_bytes()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("it has some")
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .expect("they belong together");
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
        (port, cert.pem())
    }

    #[tokio::test]
    async fn only_trusted_servers_are_accepted() {
        let (port, pem) = served().await;
        let client =
            |host: &str, pem: &str| Client::with_authorities(&format!("https://{host}:{port}"), pem.as_bytes());
        let trusting = client("localhost", &pem).expect("a good URL");
        assert_eq!(trusting.catalog().await.expect("a catalog").services, []);
        let plain = Client::with_authorities(&format!("http://localhost:{port}"), pem.as_bytes());
        let plain = plain.expect_err("it would send the credentials unencrypted").to_string();
        assert!(plain.contains("certificate authorities are given, which need https://"), "{plain}");
        let elsewhere = client("127.0.0.1", &pem).expect("a good URL").catalog().await.expect_err("another name");
        assert!(elsewhere.to_string().contains("its certificate is for localhost, not for 127.0.0.1"), "{elsewhere}");
        let (_, other) = served().await;
        let stranger = client("localhost", &other).expect("a good URL").catalog().await.expect_err("another authority");
        assert!(stranger.to_string().contains("an authority that is not trusted here"), "{stranger}");
        for (pem, why) in [
            ("", "the certificate authorities cannot be used: there is no certificate in PEM"),
            ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "not a valid certificate in PEM"),
        ] {
            let error = client("localhost", pem).expect_err("no authority is trusted").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
