//! Reloads certificates and credentials from their files while the broker runs.

use std::{convert::Infallible, time::Duration};

use super::{
    Failure, credentials::Credentials, credentials::Files, frontend::Frontend, serve_args::ServeArgs, signals::Hangups,
};
use osb_runtime::http::{AcceptedCredentials, Admin, BrokerService};

/// Interval at which files are read again, besides each SIGHUP.
const INTERVAL: Duration = Duration::from_mins(1);

/// The files that are in use.
pub(super) struct Reloader<'a> {
    pub(super) options: &'a ServeArgs,
    pub(super) frontend: Frontend,
    /// The author's methods of authentication.
    pub(super) own: Option<AcceptedCredentials>,
    pub(super) files: Files,
}

impl Reloader<'_> {
    /// Lets the broker use files that have changed. Those that are invalid are logged, and the old ones stay in use.
    pub(super) async fn run(mut self, service: &BrokerService, admin: Option<&Admin>) -> Infallible {
        let mut hangups = Hangups::listen();
        loop {
            _ = tokio::time::timeout(INTERVAL, hangups.next()).await;
            self.frontend.reload();
            if self.files.is_empty() {
                continue;
            }
            match Credentials::read(self.options, self.own.as_ref(), false, self.files.again()) {
                Ok(Credentials { platforms, operators, files, .. }) if files.differ_from(&self.files) => {
                    service.set_platforms(platforms);
                    if let (Some(admin), Some(operators)) = (admin, operators) {
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
