//! Reloads certificates and credentials from their files while the broker runs.

use std::{sync::Arc, time::Duration};

use super::{
    Failure,
    credentials::{Credentials, Files},
    frontend::Frontend,
    serve_args::ServeArgs,
    signals::Hangups,
};
use osb_runtime::http::{AcceptedCredentials, Admin, BrokerService};

/// Interval at which files are read again, besides each SIGHUP.
const INTERVAL: Duration = Duration::from_mins(1);

/// The files that are in use.
pub(super) struct Reloader {
    pub(super) options: Arc<ServeArgs>,
    pub(super) frontend: Frontend,
    /// The credentials that no option has.
    pub(super) own: Option<AcceptedCredentials>,
    pub(super) files: Files,
    pub(super) service: BrokerService,
    pub(super) admin: Option<Admin>,
}

impl Reloader {
    /// Lets the broker use files that have changed. Those that are invalid are logged, and the old ones stay in use. The
    /// future never completes.
    pub(super) async fn run(mut self, mut hangups: Hangups) {
        loop {
            let is_asked = tokio::time::timeout(INTERVAL, hangups.next()).await.is_ok();
            self.frontend.reload();
            if self.files.is_empty() {
                continue;
            }
            if self.files.include_pipe() {
                if is_asked {
                    tracing::warn!("credentials can't be reloaded, because one of their files is a pipe");
                }
                continue;
            }
            match Credentials::read(&self.options, self.own.as_ref(), false, self.files.again()) {
                Ok(Credentials { platforms, operators, files, .. }) if files.differ_from(&self.files) => {
                    self.service.set_platforms(platforms);
                    if let (Some(admin), Some(operators)) = (&self.admin, operators) {
                        admin.set_credentials(operators);
                    }
                    self.files = files;
                    tracing::info!("reloaded the credentials");
                }
                Ok(_) | Err(Failure::Logged(_)) => {}
                Err(Failure::Usage(error) | Failure::Broken(error)) => {
                    tracing::error!(error, "reloading the credentials failed; the old ones stay in use");
                }
            }
        }
    }
}
