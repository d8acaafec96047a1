//! TLS, with rustls as the client.

use std::{fs, path::PathBuf, sync::Arc};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
    },
};

use super::*;
use crate::http::{Listener, Tls, serve};

/// A certificate authority, and a folder for its files.
struct Authority {
    folder: TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and its key, as PEM.
struct Pair {
    certificate: String,
    key: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { folder: TempDir::new().unwrap(), issuer }
    }

    fn pair(&self, name: &str) -> Pair {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Pair { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a new certificate for a name, which replaces the last one.
    fn certify(&self, name: &str) -> [PathBuf; 2] {
        let pair = self.pair(name);
        [self.write("cert.pem", &pair.certificate), self.write("key.pem", &pair.key)]
    }

    fn authorities(&self) -> PathBuf {
        self.write("authorities.pem", &self.issuer.pem())
    }

    /// Sends a request as a client that trusts this authority, expects `name`, and may have a certificate. Returns the
    /// status line.
    async fn ask(&self, server: SocketAddr, name: &str, client: Option<Pair>) -> Result<String, std::io::Error> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.issuer.pem().as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
        let config = match client {
            None => config.with_no_client_auth(),
            Some(Pair { certificate, key }) => config
                .with_client_auth_cert(
                    vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()],
                    PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
                )
                .unwrap(),
        };
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let stream = TcpStream::connect(server).await?;
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        stream.write_all(head("GET /v2/catalog", "Connection: close\r\n\r\n").as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer.lines().next().unwrap_or_default().to_owned())
    }
}

/// Serves until the test is over.
async fn start(tls: &Tls, head_timeout: Duration) -> SocketAddr {
    let settings = HttpSettings { head_timeout, ..HttpSettings::default() };
    start_with(tls, settings, std::future::pending()).await.0
}

async fn start_with(
    tls: &Tls,
    settings: HttpSettings,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let listener = Listener::with_tls(listener, tls.clone());
    (address, tokio::spawn(serve(listener, service(&Recorder::new(), settings), shutdown)))
}

const GOOD: &str = "HTTP/1.1 200 OK";

#[tokio::test]
async fn requests_are_answered_only_over_tls() {
    let authority = Authority::new();
    let [certificate, key] = authority.certify("broker.example");
    let server = start(&Tls::open(certificate, key).unwrap(), SOON).await;
    assert_eq!(authority.ask(server, "broker.example", None).await.unwrap(), GOOD);
    let other = authority.ask(server, "other.example", None).await.unwrap_err();
    assert!(other.to_string().contains("certificate"), "{other}");

    let mut plain = TcpStream::connect(server).await.unwrap();
    plain.write_all(head("GET /v2/catalog", "\r\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(SOON, plain.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("this port speaks TLS; use https://"), "{answer}");
}

#[tokio::test]
async fn clients_need_a_certificate_if_there_is_a_client_authority() {
    let (authority, other) = (Authority::new(), Authority::new());
    let [certificate, key] = authority.certify("broker.example");
    let tls = Tls::open_for_clients(certificate, key, authority.authorities()).unwrap();
    let server = start(&tls, SOON).await;
    assert!(authority.ask(server, "broker.example", None).await.is_err());
    assert!(authority.ask(server, "broker.example", Some(other.pair("platform"))).await.is_err());
    let known = authority.ask(server, "broker.example", Some(authority.pair("platform"))).await;
    assert_eq!(known.unwrap(), GOOD);
}

#[tokio::test]
async fn a_certificate_is_reloaded_unless_it_is_invalid() {
    let authority = Authority::new();
    let [certificate, key] = authority.certify("old.example");
    let tls = Tls::open(&certificate, &key).unwrap();
    let server = start(&tls, SOON).await;
    assert_eq!(authority.ask(server, "old.example", None).await.unwrap(), GOOD);
    assert!(!tls.reload().unwrap(), "the files have not changed");

    let old = fs::read_to_string(&key).unwrap();
    authority.certify("new.example");
    let new = fs::read_to_string(&key).unwrap();
    fs::write(&key, old).unwrap();
    // As long as they are invalid, each time says so.
    for _ in 0..2 {
        let error = tls.reload().unwrap_err().to_string();
        assert!(error.contains("cert.pem is a certificate for another key than the one in "), "{error}");
    }
    assert_eq!(authority.ask(server, "old.example", None).await.unwrap(), GOOD, "the old one is still used");

    fs::write(&key, new).unwrap();
    assert_eq!([tls.reload().unwrap(), tls.reload().unwrap()], [true, false]);
    assert_eq!(authority.ask(server, "new.example", None).await.unwrap(), GOOD);
    assert!(authority.ask(server, "old.example", None).await.is_err());

    fs::remove_file(&certificate).unwrap();
    assert!(tls.reload().is_err());
    assert_eq!(authority.ask(server, "new.example", None).await.unwrap(), GOOD);
}

#[tokio::test]
async fn a_handshake_has_a_timeout() {
    let authority = Authority::new();
    let [certificate, key] = authority.certify("broker.example");
    let server = start(&Tls::open(certificate, key).unwrap(), SHORT).await;
    let mut silent = TcpStream::connect(server).await.unwrap();
    assert_eq!(timeout(SOON, silent.read(&mut [0; 1])).await.unwrap().unwrap_or(0), 0);
}

/// The head timeout of these tests is longer than they wait.
#[tokio::test]
async fn a_connection_in_its_handshake_gives_way_to_others() {
    let authority = Authority::new();
    let [certificate, key] = authority.certify("broker.example");
    let settings = HttpSettings { head_timeout: SOON * 3, max_connections: 1, ..HttpSettings::default() };
    let (server, _) = start_with(&Tls::open(certificate, key).unwrap(), settings, std::future::pending()).await;
    let _silent = TcpStream::connect(server).await.unwrap();
    let asked = timeout(SOON, authority.ask(server, "broker.example", None)).await;
    assert_eq!(asked.expect("it has a slot").unwrap(), GOOD);
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_a_handshake() {
    let authority = Authority::new();
    let [certificate, key] = authority.certify("broker.example");
    let settings = HttpSettings { head_timeout: SOON * 3, shutdown_grace: SOON * 3, ..HttpSettings::default() };
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move { _ = stopped.await };
    let (address, served) = start_with(&Tls::open(certificate, key).unwrap(), settings, shutdown).await;
    let _silent = TcpStream::connect(address).await.unwrap();
    // Connections are accepted in their order.
    assert_eq!(authority.ask(address, "broker.example", None).await.unwrap(), GOOD);
    stop.send(()).unwrap();
    timeout(SOON, served).await.expect("it has ended").unwrap();
}

#[test]
fn errors_name_the_file() {
    let authority = Authority::new();
    let [certificate, key] = authority.certify("broker.example");
    let cut_off = |name: &str, path: &PathBuf| {
        let content = fs::read(path).unwrap();
        authority.write(name, str::from_utf8(&content[..content.len() / 2]).unwrap())
    };
    let [cut_off_certificate, cut_off_key] = [cut_off("cert-cut.pem", &certificate), cut_off("key-cut.pem", &key)];
    let [empty, rubbish] = [
        authority.write("empty.pem", ""),
        authority.write("rubbish.pem", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"),
    ];
    let missing = authority.folder.path().join("missing.pem");
    for (certificate, key, clients, expected) in [
        (&missing, &key, None, "missing.pem can't be read"),
        (&certificate, &missing, None, "missing.pem can't be read"),
        (&empty, &key, None, "empty.pem does not contain a certificate"),
        (&rubbish, &key, None, "rubbish.pem contains a malformed certificate"),
        (&cut_off_certificate, &key, None, "cert-cut.pem contains a malformed certificate: its END line is missing"),
        (&certificate, &cut_off_key, None, "key-cut.pem contains a malformed private key: its END line is missing"),
        (&certificate, &empty, None, "empty.pem does not contain a private key"),
        (&certificate, &certificate, None, "cert.pem contains a certificate, but no private key"),
        (&certificate, &key, Some(&empty), "empty.pem does not contain a certificate"),
    ] {
        let opened = match clients {
            None => Tls::open(certificate, key),
            Some(clients) => Tls::open_for_clients(certificate, key, clients),
        };
        let error = opened.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
