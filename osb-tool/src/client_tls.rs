//! Connections over TLS to brokers, and the files that they need.

use std::path::Path;

use osb_client::{Client, ClientError, Tls};

use super::Failure;

/// The PEM files of a connection, as options name them.
#[derive(Debug, Clone, Copy)]
pub(super) struct TlsFiles<'a> {
    /// The only authorities to trust, in place of those of the operating system.
    pub(super) ca: Option<&'a Path>,
    /// The certificate of the client.
    pub(super) certificate: Option<&'a Path>,
    /// The key of the certificate, unless both are in one file.
    pub(super) key: Option<&'a Path>,
}

impl TlsFiles<'_> {
    /// Returns a client for a URL.
    pub(super) fn reach(self, url: &str) -> Result<Client, Failure> {
        self.tls()?
            .map_or_else(|| Client::new(url), |tls| Client::with_tls(url, tls))
            .map_err(|error| self.named(error))
    }

    fn tls(self) -> Result<Option<Tls>, Failure> {
        let mut tls = None;
        if let Some(ca) = self.ca {
            let pem = read("authorities", ca)?;
            tls = Some(Tls::default().authorities(&pem).map_err(|error| self.named(error))?);
        }
        match (self.certificate, self.key) {
            (None, None) => Ok(tls),
            (None, Some(key)) => {
                Err(Failure::Usage(format!("the key in {} needs a certificate; name its file as well", key.display())))
            }
            (Some(certificate), key) => {
                let (chain, key) = (read("certificate", certificate)?, read("key", key.unwrap_or(certificate))?);
                let tls = tls.unwrap_or_default().certificate(&chain, &key);
                tls.map(Some).map_err(|error| self.named(error))
            }
        }
    }

    /// Names the files of which an error tells.
    fn named(self, error: ClientError) -> Failure {
        Failure::Usage(match (error, self) {
            (ClientError::Authorities { why }, Self { ca: Some(ca), .. }) => {
                format!("the authorities in {} cannot be used: {why}", ca.display())
            }
            (ClientError::Certificate { why }, Self { certificate: Some(certificate), key: Some(key), .. }) => {
                format!(
                    "the certificate in {} with the key in {} cannot be used: {why}",
                    certificate.display(),
                    key.display()
                )
            }
            (ClientError::Certificate { why }, Self { certificate: Some(certificate), .. }) => {
                format!("the certificate in {} cannot be used: {why}", certificate.display())
            }
            (error, _) => error.to_string(),
        })
    }
}

fn read(content: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|why| Failure::Usage(format!("the {content} in {} cannot be read: {why}", path.display())))
}
