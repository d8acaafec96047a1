//! The options for the address for operators.

use std::{fs, net::TcpListener, path::PathBuf};

use clap::Args;

use super::{Failure, listen::Listen, platforms::pairs};
use osb_runtime::http::Credentials;

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Administration")]
pub(super) struct AdminArgs {
    /// Address at which operators can list and repair instances, bindings and operations, as HOST:PORT [default: none]
    #[arg(
        id = "osb_admin_listen",
        long = "admin-listen",
        value_name = "HOST:PORT",
        env = "OSB_ADMIN_LISTEN",
        value_parser = super::cli::address
    )]
    listen: Option<String>,

    /// Credentials of operators, separated by white space; not those of platforms
    #[arg(
        id = "osb_admin_credentials",
        long = "admin-credentials",
        value_name = "USER:PASSWORD ...",
        env = "OSB_ADMIN_CREDENTIALS"
    )]
    credentials: Option<String>,

    /// File with pairs as in --admin-credentials
    #[arg(
        id = "osb_admin_credentials_file",
        long = "admin-credentials-file",
        value_name = "FILE",
        env = "OSB_ADMIN_CREDENTIALS_FILE"
    )]
    file: Option<PathBuf>,
}

impl AdminArgs {
    /// Opens the listener for operators, and reads their credentials.
    pub(super) fn open(&self) -> Result<Option<(TcpListener, Credentials)>, Failure> {
        let Some(listen) = &self.listen else { return Ok(None) };
        let in_file = match &self.file {
            None => String::new(),
            Some(file) => fs::read_to_string(file)
                .map_err(|error| Failure::Usage(format!("{} cannot be read: {error}", file.display())))?,
        };
        let given = self.credentials.as_deref().unwrap_or_default();
        let credentials = pairs(&[(given, "OSB_ADMIN_CREDENTIALS"), (&in_file, "the admin credentials file")])?;
        let credentials = credentials.ok_or_else(|| {
            Failure::Usage(
                "operators have no credentials\n  set OSB_ADMIN_CREDENTIALS to USER:PASSWORD pairs of their own"
                    .to_owned(),
            )
        })?;
        Ok(Some((Listen::resolve(listen, "--admin-listen (OSB_ADMIN_LISTEN)")?.bind()?, credentials)))
    }
}
