//! The options for TLS.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use osb_runtime::http::Tls;

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "TLS")]
#[expect(clippy::struct_field_names, reason = "clap derives the names of the variables from them")]
pub(super) struct TlsArgs {
    /// Serve HTTPS with this certificate chain, a PEM file; it is reloaded every minute and on SIGHUP
    #[arg(long = "tls-cert", value_name = "FILE", env, requires = "osb_tls_key")]
    osb_tls_cert: Option<PathBuf>,

    /// Private key of the certificate, a PEM file
    #[arg(long = "tls-key", value_name = "FILE", env, requires = "osb_tls_cert")]
    osb_tls_key: Option<PathBuf>,

    /// Accept only clients with a certificate of an authority in this PEM file; they need credentials as well
    #[arg(long = "tls-client-ca", value_name = "FILE", env, requires = "osb_tls_cert")]
    osb_tls_client_ca: Option<PathBuf>,
}

impl TlsArgs {
    pub(super) fn open(&self) -> Result<Option<Tls>, Failure> {
        let Self { osb_tls_cert, osb_tls_key, osb_tls_client_ca } = self;
        let (Some(certificates), Some(key)) = (osb_tls_cert, osb_tls_key) else {
            // In a configuration file, which `requires` does not cover.
            return match (osb_tls_cert, osb_tls_key, osb_tls_client_ca) {
                (None, None, None) => Ok(None),
                _ => Err(Failure::Usage(
                    "TLS needs both --tls-cert (OSB_TLS_CERT) and --tls-key (OSB_TLS_KEY)".to_owned(),
                )),
            };
        };
        let opened = match osb_tls_client_ca {
            None => Tls::open(certificates, key),
            Some(clients) => Tls::open_for_clients(certificates, key, clients),
        };
        opened.map(Some).map_err(Failure::usage)
    }
}
