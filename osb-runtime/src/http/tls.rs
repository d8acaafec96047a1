//! TLS, with certificates from files that are reloaded when they change.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        Error, RootCertStore, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
        server::WebPkiClientVerifier,
    },
    server::TlsStream,
};

use super::current::Current;
use crate::protocol::debug_fields;

/// Interval between checks for changed files.
const RELOAD_INTERVAL: Duration = Duration::from_mins(1);

/// A certificate and its key for a [`Listener`](super::Listener), which supports TLS 1.2 and 1.3. Clones share the certificate.
#[derive(Clone)]
pub struct Tls {
    files: Arc<Files>,
    config: Arc<Current<ServerConfig>>,
    /// The contents of the files that are in use.
    current: Arc<Mutex<Contents>>,
}

#[derive(Debug)]
struct Files {
    certificates: PathBuf,
    key: PathBuf,
    clients: Option<PathBuf>,
}

#[derive(PartialEq)]
struct Contents {
    certificates: Vec<u8>,
    key: Vec<u8>,
    clients: Option<Vec<u8>>,
}

impl Tls {
    /// Reads PEM files: the certificate chain, and the private key.
    ///
    /// # Errors
    ///
    /// If a file can't be read, does not contain a certificate or key, or if the key does not match the certificate.
    pub fn open(certificates: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Result<Self, TlsError> {
        Self::with(Files { certificates: certificates.into(), key: key.into(), clients: None })
    }

    /// Reads PEM files like [`open`](Self::open), and requires client certificates that are issued by one of the
    /// authorities in the file `clients`. Clients still need credentials.
    ///
    /// # Errors
    ///
    /// The same as for [`open`](Self::open).
    pub fn open_for_clients(
        certificates: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
        clients: impl Into<PathBuf>,
    ) -> Result<Self, TlsError> {
        Self::with(Files { certificates: certificates.into(), key: key.into(), clients: Some(clients.into()) })
    }

    fn with(files: Files) -> Result<Self, TlsError> {
        let read = files.read()?;
        let config = files.config(&read)?;
        Ok(Self { files: Arc::new(files), config: Arc::new(Current::new(config)), current: Arc::new(Mutex::new(read)) })
    }

    /// Reloads the files, for example after a signal, and returns whether they have changed. If they are invalid, the old
    /// certificate stays in use. Open connections are not affected.
    ///
    /// # Errors
    ///
    /// The same as for [`open`](Self::open).
    pub fn reload(&self) -> Result<bool, TlsError> {
        let read = self.files.read()?;
        if *self.current.lock().unwrap_or_else(PoisonError::into_inner) == read {
            return Ok(false);
        }
        self.config.set(self.files.config(&read)?);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = read;
        tracing::info!(certificates = %self.files.certificates.display(), "reloaded the certificate");
        Ok(true)
    }

    /// Reloads the files every minute, and logs errors. The future never completes.
    pub async fn keep_fresh(&self) {
        loop {
            tokio::time::sleep(RELOAD_INTERVAL).await;
            if let Err(error) = self.reload() {
                tracing::error!(%error, "reloading the certificate failed; the old one stays in use");
            }
        }
    }

    pub(super) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) -> io::Result<TlsStream<S>> {
        TlsAcceptor::from(self.config.get()).accept(stream).await
    }
}

debug_fields!(Tls { files });

impl Files {
    fn read(&self) -> Result<Contents, TlsError> {
        let read = |path: &Path| fs::read(path).map_err(|error| TlsError::new(path, format!("can't be read: {error}")));
        Ok(Contents {
            certificates: read(&self.certificates)?,
            key: read(&self.key)?,
            clients: self.clients.as_deref().map(read).transpose()?,
        })
    }

    fn config(&self, read: &Contents) -> Result<ServerConfig, TlsError> {
        let certificates = certificates(&self.certificates, &read.certificates)?;
        let key = PrivateKeyDer::from_pem_slice(&read.key)
            .map_err(|error| TlsError::new(&self.key, no_key(&read.key, &error)))?;
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::new(&self.certificates, format!("can't be used: {error}")))?;
        let builder = match (&self.clients, &read.clients) {
            (Some(path), Some(clients)) => builder.with_client_cert_verifier(verifier(path, clients)?),
            _ => builder.with_no_client_auth(),
        };
        let mut config = builder.with_single_cert(certificates, key).map_err(|error| match error {
            Error::InconsistentKeys(_) => {
                let key = self.key.display();
                TlsError::new(&self.certificates, format!("is a certificate for another key than the one in {key}"))
            }
            error => TlsError::new(&self.certificates, format!("and its key can't be used: {error}")),
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// Says why a file has no private key.
fn no_key(content: &[u8], error: &pem::Error) -> String {
    let has = |mark: &[u8]| content.windows(mark.len()).any(|window| window == mark);
    if has(b"ENCRYPTED") {
        return "contains a key with a passphrase; remove it with `openssl pkey -in FILE -out FILE`".to_owned();
    }
    match error {
        pem::Error::NoItemsFound if has(b"BEGIN CERTIFICATE") => {
            "contains a certificate, but no private key; the key is in another file".to_owned()
        }
        pem::Error::NoItemsFound => "does not contain a private key in PEM format".to_owned(),
        error => format!("contains a malformed private key: {}", malformed(error)),
    }
}

/// Says what is wrong in a PEM file.
fn malformed(error: &pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { .. } => "its END line is missing; the file may be cut off".to_owned(),
        pem::Error::IllegalSectionStart { .. } => "its BEGIN line is incomplete".to_owned(),
        error => error.to_string(),
    }
}

fn verifier(
    path: &Path,
    clients: &[u8],
) -> Result<Arc<dyn tokio_rustls::rustls::server::danger::ClientCertVerifier>, TlsError> {
    let wrong = |error: &dyn fmt::Display| {
        TlsError::new(path, format!("does not contain a usable certificate authority: {error}"))
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path, clients)? {
        roots.add(certificate).map_err(|error| wrong(&error))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::new(ring::default_provider()))
        .build()
        .map_err(|error| wrong(&error))
}

fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(TlsError::new(path, "does not contain a certificate in PEM format".to_owned())),
        Err(error) => Err(TlsError::new(path, format!("contains a malformed certificate: {}", malformed(&error)))),
    }
}

/// The error for a certificate that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{} {problem}", path.display())]
pub struct TlsError {
    path: PathBuf,
    problem: String,
}

impl TlsError {
    fn new(path: &Path, problem: String) -> Self {
        Self { path: path.to_owned(), problem }
    }
}
