//! TLS: certificates from files, read again when they change.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
        server::WebPkiClientVerifier,
    },
    server::TlsStream,
};

/// How often files are looked at.
const EVERY: Duration = Duration::from_mins(1);

/// A certificate with its key, for [`serve_tls`](super::serve_tls): TLS 1.2 and 1.3, by rustls. Clones are the same
/// certificate.
#[derive(Clone)]
pub struct Tls {
    files: Arc<Files>,
    config: Arc<RwLock<Arc<ServerConfig>>>,
    /// What the files had in them when they were last read.
    seen: Arc<Mutex<Read>>,
}

#[derive(Debug)]
struct Files {
    certificates: PathBuf,
    key: PathBuf,
    clients: Option<PathBuf>,
}

#[derive(PartialEq)]
struct Read {
    certificates: Vec<u8>,
    key: Vec<u8>,
    clients: Option<Vec<u8>>,
}

impl Tls {
    /// Reads PEM files: the certificate with those that lead to its authority, and its key.
    ///
    /// # Errors
    ///
    /// If a file can't be read, has none of what it is to have in it, or if the key is another certificate's.
    pub fn open(certificates: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Result<Self, TlsError> {
        Self::with(Files { certificates: certificates.into(), key: key.into(), clients: None })
    }

    /// The same, and clients need a certificate of one of the authorities in the file `clients`: an additional lock, as
    /// credentials are still asked for.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
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
        Ok(Self { files: Arc::new(files), config: Arc::new(RwLock::new(config)), seen: Arc::new(Mutex::new(read)) })
    }

    /// Reads the files again. What was there before stays if they are not good; connections that are open stay as they
    /// are. Returns whether there was something new.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn reload(&self) -> Result<bool, TlsError> {
        let read = self.files.read()?;
        if *self.seen.lock().unwrap_or_else(PoisonError::into_inner) == read {
            return Ok(false);
        }
        let config = self.files.config(&read)?;
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(true)
    }

    /// Reads the files again every minute, and on SIGHUP; never ready. What is wrong with them is logged.
    pub async fn keep_fresh(&self) {
        let mut signals = Signals::listen();
        loop {
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = signals.next() => {}
            }
            match self.reload() {
                Ok(true) => {
                    tracing::info!(certificates = %self.files.certificates.display(), "a new certificate is used");
                }
                Ok(false) => {}
                Err(error) => tracing::error!(%error, "the certificate stays the one that it was"),
            }
        }
    }

    pub(super) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) -> io::Result<TlsStream<S>> {
        let config = Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner));
        TlsAcceptor::from(config).accept(stream).await
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Files {
    fn read(&self) -> Result<Read, TlsError> {
        let read = |path: &Path| fs::read(path).map_err(|error| TlsError::new(path, format!("can't be read: {error}")));
        Ok(Read {
            certificates: read(&self.certificates)?,
            key: read(&self.key)?,
            clients: self.clients.as_deref().map(read).transpose()?,
        })
    }

    fn config(&self, read: &Read) -> Result<Arc<ServerConfig>, TlsError> {
        let certificates = certificates(&self.certificates, &read.certificates)?;
        let key = PrivateKeyDer::from_pem_slice(&read.key)
            .map_err(|error| TlsError::new(&self.key, format!("has no private key: {error}")))?;
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::new(&self.certificates, format!("can't be used: {error}")))?;
        let builder = match (&self.clients, &read.clients) {
            (Some(path), Some(clients)) => builder.with_client_cert_verifier(verifier(path, clients)?),
            _ => builder.with_no_client_auth(),
        };
        let mut config = builder
            .with_single_cert(certificates, key)
            .map_err(|error| TlsError::new(&self.certificates, format!("does not go with its key: {error}")))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

fn verifier(
    path: &Path,
    clients: &[u8],
) -> Result<Arc<dyn tokio_rustls::rustls::server::danger::ClientCertVerifier>, TlsError> {
    let wrong = |error: &dyn fmt::Display| TlsError::new(path, format!("has no usable authority: {error}"));
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
        Ok(_) => Err(TlsError::new(path, "has no certificate in it, as PEM".to_owned())),
        Err(error) => Err(TlsError::new(path, format!("has a malformed certificate: {error}"))),
    }
}

/// SIGHUP, where there is one.
struct Signals {
    #[cfg(unix)]
    hangups: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    fn listen() -> Self {
        Self {
            #[cfg(unix)]
            hangups: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())
                .inspect_err(|error| tracing::error!(%error, "SIGHUP can't be listened for"))
                .ok(),
        }
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(hangups) = &mut self.hangups
            && hangups.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

/// Why a certificate can't be used.
#[derive(Debug)]
pub struct TlsError {
    path: PathBuf,
    problem: String,
}

impl TlsError {
    fn new(path: &Path, problem: String) -> Self {
        Self { path: path.to_owned(), problem }
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for TlsError {}
