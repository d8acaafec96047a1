//! TLS to the database, by rustls. The driver leaves it to its user.

use std::{fs, io, pin::Pin, sync::Arc, task};

use sha2::{Digest as _, Sha256, Sha384, Sha512};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::{
    Socket,
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream},
};
use tokio_rustls::{
    TlsConnector, client,
    rustls::{
        CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
        client::{
            WebPkiServerVerifier,
            danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        },
        crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
        pki_types::{
            AlgorithmIdentifier, CertificateDer, PrivateKeyDer, ServerName, UnixTime, alg_id,
            pem::{self, PemObject},
        },
    },
};

use super::ConnectError;

/// The verification of the server's certificate, as the `sslmode` of libpq names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verification {
    /// `prefer` and `require`: the connection is encrypted, and the server can be any.
    None,
    /// `verify-ca`: an authority that is trusted has signed the certificate.
    Authority,
    /// `verify-full`: and it is for the name of the host.
    Full,
}

/// The paths of certificates and keys, in PEM.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// The authorities to trust; `None` or `system` for those of the operating system.
    pub(super) roots: Option<String>,
    /// The client's certificate and key.
    pub(super) certificate: Option<String>,
    pub(super) key: Option<String>,
}

/// Makes TLS connections for the driver.
#[derive(Clone)]
pub(super) struct Tls {
    connector: TlsConnector,
    source: Arc<(Verification, Files)>,
}

impl Tls {
    pub(super) fn new(verification: Verification, files: Files) -> Result<Self, ConnectError> {
        Ok(Self { connector: Self::load(verification, &files)?, source: Arc::new((verification, files)) })
    }

    /// Reads the files again, as libpq does for each connection: certificates are replaced before they expire.
    pub(super) async fn reloaded(&self) -> Self {
        let (_, files) = &*self.source;
        if files.certificate.is_none() && files.roots.as_deref().is_none_or(|path| path == "system") {
            return self.clone();
        }
        let source = Arc::clone(&self.source);
        match tokio::task::spawn_blocking(move || Self::load(source.0, &source.1)).await {
            Ok(Ok(connector)) => Self { connector, source: Arc::clone(&self.source) },
            Ok(Err(error)) => {
                tracing::warn!(%error, "connecting to the database with the certificates that were read at the start");
                self.clone()
            }
            Err(_) => self.clone(),
        }
    }

    fn load(verification: Verification, files: &Files) -> Result<TlsConnector, ConnectError> {
        let provider = Arc::new(ring::default_provider());
        let verifier: Arc<dyn ServerCertVerifier> = match verification {
            Verification::None => Arc::new(AnyName { authority: None, provider: Arc::clone(&provider) }),
            Verification::Authority => {
                Arc::new(AnyName { authority: Some(verifier(files, &provider)?), provider: Arc::clone(&provider) })
            }
            Verification::Full => verifier(files, &provider)?,
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| ConnectError::Tls(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let config = match (&files.certificate, &files.key) {
            (Some(certificate), Some(key)) => {
                let certificates = read("sslcert", certificate)?;
                let bytes = fs::read(key).map_err(|error| unreadable("sslkey", key, error))?;
                let private = PrivateKeyDer::from_pem_slice(&bytes);
                let private = private.map_err(|error| unreadable("sslkey", key, malformed(&error)))?;
                let config = config.with_client_auth_cert(certificates, private);
                config.map_err(|error| unreadable("sslcert", certificate, error))?
            }
            (None, None) => config.with_no_client_auth(),
            _ => return Err(ConnectError::Url("`sslcert` and `sslkey` belong together".to_owned())),
        };
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

fn unreadable(parameter: &str, path: &str, error: impl ToString) -> ConnectError {
    ConnectError::Tls(format!("{path} (`{parameter}`) can't be used: {}", error.to_string()))
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

fn read(parameter: &str, path: &str) -> Result<Vec<CertificateDer<'static>>, ConnectError> {
    let bytes = fs::read(path).map_err(|error| unreadable(parameter, path, error))?;
    let certificates = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| unreadable(parameter, path, malformed(&error)))?;
    if certificates.is_empty() {
        return Err(unreadable(parameter, path, "it contains no certificate in PEM"));
    }
    Ok(certificates)
}

fn verifier(files: &Files, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, ConnectError> {
    let certificates = match files.roots.as_deref() {
        None | Some("system") => rustls_native_certs::load_native_certs().certs,
        Some(path) => read("sslrootcert", path)?,
    };
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates);
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| ConnectError::Tls(format!("no certificate authority can be used (`sslrootcert`): {error}")))
}

/// Accepts every certificate, or with an authority those that it has signed, with any name: `sslmode=require` encrypts and
/// does not identify the server.
#[derive(Debug)]
struct AnyName {
    authority: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(certificate, intermediates, name, stapled, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Stream;
    type TlsConnect = Connect;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Connect> {
        // A socket in the file system has no host, and is not encrypted.
        Ok(Connect { connector: self.connector.clone(), name: ServerName::try_from(host.to_owned()).ok() })
    }
}

/// A connection that is to be encrypted.
pub(super) struct Connect {
    connector: TlsConnector,
    name: Option<ServerName<'static>>,
}

impl TlsConnect<Socket> for Connect {
    type Stream = Stream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let name = self.name.ok_or_else(|| io::Error::other("the host's name is not valid for TLS"))?;
            self.connector.connect(name, socket).await.map(|stream| Stream(Box::new(stream)))
        })
    }
}

/// An encrypted connection.
pub(super) struct Stream(Box<client::TlsStream<Socket>>);

impl TlsStream for Stream {
    fn channel_binding(&self) -> ChannelBinding {
        let certificate = self.0.get_ref().1.peer_certificates().and_then(<[_]>::first);
        match certificate.and_then(|certificate| end_point(certificate)) {
            Some(hash) => ChannelBinding::tls_server_end_point(hash),
            None => ChannelBinding::none(),
        }
    }
}

/// Returns the hash of the server's certificate that a password is bound to (RFC 5929, section 4), by the digest of its
/// signature. There is none for signatures without a digest (Ed25519), and for those that older servers don't know (RSA-PSS).
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let (certificate_fields, _) = der_element(certificate)?;
    let (_signed, others) = der_element(certificate_fields)?;
    let (algorithm, _) = der_element(others)?;
    let is_one_of = |algorithms: &[AlgorithmIdentifier]| algorithms.iter().any(|known| known.as_ref() == algorithm);
    if is_one_of(&[alg_id::ECDSA_SHA256, alg_id::RSA_PKCS1_SHA256]) {
        Some(Sha256::digest(certificate).to_vec())
    } else if is_one_of(&[alg_id::ECDSA_SHA384, alg_id::RSA_PKCS1_SHA384]) {
        Some(Sha384::digest(certificate).to_vec())
    } else if is_one_of(&[alg_id::ECDSA_SHA512, alg_id::RSA_PKCS1_SHA512]) {
        Some(Sha512::digest(certificate).to_vec())
    } else {
        None
    }
}

/// Returns the content of the first element, and the elements after it.
fn der_element(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[_tag, length], rest) = der.split_first_chunk()?;
    // A length of more than 127 is in the bytes that follow, whose number it states.
    let Some(bytes) = length.checked_sub(0x80) else { return rest.split_at_checked(length.into()) };
    let (length, rest) = rest.split_at_checked(bytes.into())?;
    rest.split_at_checked(length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, to)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        bytes: &[u8],
    ) -> task::Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    /// The store logs these errors.
    #[test]
    fn a_private_key_is_in_no_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("the file is written");
            path.display().to_string()
        };
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(Vec::new()).expect("a certificate");
        let (certificate, key) = (cert.pem(), signing_key.serialize_pem());
        let line = key.replace('\n', "");
        let (own, private) = (file("own.crt", &certificate), file("own.key", &key));
        let beside = file("beside.pem", &(certificate + &line));
        let (line, cut) = (file("line.key", &line), file("cut.key", &key[..20]));
        let problem = "an END line is missing; the file may lack its line ends";
        for (certificate, key, path, parameter, problem) in [
            (&own, &line, &line, "sslkey", problem),
            (&beside, &private, &beside, "sslcert", problem),
            (&own, &cut, &cut, "sslkey", "a BEGIN line is incomplete"),
        ] {
            let files = Files { roots: None, certificate: Some(certificate.clone()), key: Some(key.clone()) };
            let error = Tls::load(Verification::None, &files).err().expect("it can't be read").to_string();
            assert!(error.ends_with(&format!("{path} (`{parameter}`) can't be used: {problem}")), "{error}");
        }
    }
}
