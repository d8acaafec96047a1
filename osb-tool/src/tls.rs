//! The options for TLS.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use osb_runtime::http::Tls;

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "TLS")]
pub(super) struct TlsArgs {
    /// Serve HTTPS with this certificate chain, a PEM file; it is reloaded every minute and on SIGHUP
    #[arg(id = "osb_tls_cert", long = "tls-cert", value_name = "FILE", env = "OSB_TLS_CERT", requires = "osb_tls_key")]
    certificates: Option<PathBuf>,

    /// Private key of the certificate, a PEM file
    #[arg(id = "osb_tls_key", long = "tls-key", value_name = "FILE", env = "OSB_TLS_KEY", requires = "osb_tls_cert")]
    key: Option<PathBuf>,

    /// Accept only clients with a certificate of an authority in this PEM file; they need credentials as well
    #[arg(
        id = "osb_tls_client_ca",
        long = "tls-client-ca",
        value_name = "FILE",
        env = "OSB_TLS_CLIENT_CA",
        requires = "osb_tls_cert"
    )]
    clients: Option<PathBuf>,
}

impl TlsArgs {
    pub(super) fn open(&self) -> Result<Option<Tls>, Failure> {
        let (Some(certificates), Some(key)) = (&self.certificates, &self.key) else {
            // In a configuration file, which `requires` does not cover.
            return match (&self.certificates, &self.key, &self.clients) {
                (None, None, None) => Ok(None),
                _ => Err(Failure::Usage(
                    "TLS needs both --tls-cert (OSB_TLS_CERT) and --tls-key (OSB_TLS_KEY)".to_owned(),
                )),
            };
        };
        let opened = match &self.clients {
            None => Tls::open(certificates, key),
            Some(clients) => Tls::open_for_clients(certificates, key, clients),
        };
        opened.map(Some).map_err(Failure::usage)
    }
}
