//! The signals that `serve` handles.

use osb_runtime::http::shutdown_signal;
use tokio_util::sync::CancellationToken;

use super::Failure;

/// The shutdown signals: the first asks the broker to stop, the second, or the first after the author's token, to stop at
/// once.
pub(super) struct Signals {
    pub(super) first: CancellationToken,
    pub(super) second: CancellationToken,
    /// Those since the start.
    pub(super) hangups: Hangups,
}

impl Signals {
    /// Starts to listen for signals, so that none is missed. `first` is also cancelled by the author.
    pub(super) fn listen(first: CancellationToken) -> Self {
        #[cfg(unix)]
        log_hangups();
        let second = CancellationToken::new();
        let received = (first.clone(), second.clone());
        tokio::spawn(async move {
            let mut signal = std::pin::pin!(shutdown_signal());
            tokio::select! {
                () = &mut signal => {
                    received.0.cancel();
                    shutdown_signal().await;
                }
                // The author asked the broker to stop, so a signal asks again.
                () = received.0.cancelled() => signal.await,
            }
            received.1.cancel();
        });
        Self { first, second, hangups: Hangups::listen() }
    }

    /// Runs `work` until its end, or until the first signal; then it returns `None`.
    pub(super) async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Option<T>, Failure> {
        tokio::select! {
            done = work => done.map(Some),
            () = self.first.cancelled() => Ok(None),
        }
    }
}

/// Logs each SIGHUP, which would otherwise end the process.
#[cfg(unix)]
fn log_hangups() {
    let mut hangups = Hangups::listen();
    tokio::spawn(async move {
        loop {
            hangups.next().await;
            tracing::info!(
                "received SIGHUP: certificates and credentials in files are reloaded; other settings need a restart"
            );
        }
    });
}

/// The signal SIGHUP, on systems that have it.
pub(super) struct Hangups {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangups {
    pub(super) fn listen() -> Self {
        Self {
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())
                .inspect_err(|error| tracing::error!(%error, "installing the handler for SIGHUP failed"))
                .ok(),
        }
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}
