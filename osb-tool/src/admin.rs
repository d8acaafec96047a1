//! The options for the address for operators.

use std::{net::TcpListener, path::PathBuf};

use clap::Args;

use super::{Failure, credentials::Files, listen::Listen, platforms::pairs};
use osb_runtime::http::AcceptedCredentials;

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Administration")]
#[expect(clippy::struct_field_names, reason = "clap derives the names of the variables from them")]
pub(super) struct AdminArgs {
    /// Address at which operators can list and repair instances, bindings and operations, as HOST:PORT [default: none]
    #[arg(long = "admin-listen", value_name = "HOST:PORT", env, value_parser = super::serve_args::address)]
    osb_admin_listen: Option<String>,

    /// TLS at the address for operators, with the certificate of --tls-cert
    #[cfg(feature = "tls")]
    #[arg(
        long = "admin-tls",
        value_name = "WHEN",
        env,
        default_value = "auto",
        value_parser = super::cli::one_of(&[
            ("auto", "If there is a certificate, unless only this machine can connect", AdminTls::Auto),
            ("on", "Always", AdminTls::On),
            ("off", "Never: a proxy or a private network protects it", AdminTls::Off),
        ])
    )]
    osb_admin_tls: AdminTls,

    /// Credentials of operators, separated by white space; not those of platforms
    #[arg(long = "admin-credentials", value_name = "USER:PASSWORD ...", env)]
    osb_admin_credentials: Option<String>,

    /// File with pairs as in --admin-credentials; it is reloaded every minute and on SIGHUP
    #[arg(long = "admin-credentials-file", value_name = "FILE", env)]
    osb_admin_credentials_file: Option<PathBuf>,
}

/// When the address for operators speaks TLS.
#[cfg(feature = "tls")]
#[derive(Debug, Clone, Copy)]
enum AdminTls {
    Auto,
    On,
    Off,
}

#[cfg(feature = "tls")]
impl AdminArgs {
    /// Returns whether the address speaks TLS.
    pub(super) fn is_tls(&self, at: std::net::SocketAddr, has_certificate: bool) -> Result<bool, Failure> {
        match self.osb_admin_tls {
            AdminTls::On if !has_certificate => Err(Failure::Usage(
                "--admin-tls on (OSB_ADMIN_TLS) needs a certificate: set --tls-cert and --tls-key".to_owned(),
            )),
            AdminTls::On => Ok(true),
            AdminTls::Auto => Ok(has_certificate && !at.ip().is_loopback()),
            AdminTls::Off => Ok(false),
        }
    }
}

impl AdminArgs {
    /// Opens the listener for operators.
    pub(super) fn open(&self) -> Result<Option<TcpListener>, Failure> {
        let Some(listen) = &self.osb_admin_listen else { return Ok(None) };
        Listen::resolve(listen, "--admin-listen (OSB_ADMIN_LISTEN)")?.bind().map(Some)
    }

    /// Reads the credentials of operators.
    pub(super) fn credentials(&self, files: &mut Files) -> Result<Option<AcceptedCredentials>, Failure> {
        if self.osb_admin_listen.is_none() {
            return Ok(None);
        }
        let in_file = self
            .osb_admin_credentials_file
            .as_deref()
            .map_or(Ok(String::new()), |file| files.read("--admin-credentials-file", file))?;
        let given = self.osb_admin_credentials.as_deref().unwrap_or_default();
        let credentials = pairs(&[(given, "OSB_ADMIN_CREDENTIALS"), (&in_file, "the admin credentials file")])?;
        credentials.map(Some).ok_or_else(|| {
            Failure::Usage(
                "operators have no credentials\n  set OSB_ADMIN_CREDENTIALS to USER:PASSWORD pairs of their own"
                    .to_owned(),
            )
        })
    }
}
