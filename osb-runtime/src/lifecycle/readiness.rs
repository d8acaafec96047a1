//! The readiness check of the author.

use std::{pin::Pin, sync::Arc, time::Duration};

use tokio::time::timeout;

use super::{Lifecycle, call::catch_panic, mutation::log_store_error};
use crate::{
    protocol::{Tenant, debug_fields},
    service::{AsyncHandler, BoxError},
    store::{Key, StoreError},
};

/// A check that exceeds this limit counts as failed.
const LIMIT: Duration = Duration::from_millis(900);

/// An additional condition of `/readyz`, such as a database that handlers need:
///
/// ```
/// use osb_runtime::{http::BoxError, lifecycle::{AnyReadiness, Readiness, Settings}};
/// # struct Pool;
/// # impl Pool { async fn ping(&self) -> Result<(), std::io::Error> { Ok(()) } }
///
/// struct DatabaseIsUp(Pool);
///
/// impl Readiness for DatabaseIsUp {
///     async fn check(&self) -> Result<(), BoxError> {
///         Ok(self.0.ping().await?)
///     }
/// }
///
/// let mut settings = Settings::default();
/// settings.readiness = Some(AnyReadiness::of(DatabaseIsUp(Pool)));
/// ```
#[diagnostic::on_unimplemented(message = "expected a struct of yours with `impl Readiness`")]
// The method repeats `Self: Sync`, so that the compiler doesn't report its future, too, if the type isn't.
pub trait Readiness: Send + Sync + 'static {
    /// Called for each `GET /readyz`, which anyone can send. An error, or more than 900 ms, makes it answer 503; the reason is
    /// in the log only. Requests are served all the same.
    fn check(&self) -> impl AsyncHandler<Output = Result<(), BoxError>> + Send
    where
        Self: Sync;
}

/// A [`Readiness`] of any type, for [`Settings::readiness`](super::Settings::readiness). Clones share it.
#[derive(Clone)]
pub struct AnyReadiness(Arc<dyn Erased>);

impl AnyReadiness {
    /// Wraps a check.
    pub fn of(check: impl Readiness) -> Self {
        Self(Arc::new(check))
    }
}

debug_fields!(AnyReadiness {});

trait Erased: Send + Sync {
    fn check(&self) -> Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + '_>>;
}

impl<R: Readiness> Erased for R {
    fn check(&self) -> Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + '_>> {
        Box::pin(Readiness::check(self))
    }
}

impl Lifecycle {
    /// Returns the reason why the broker is not ready, without details; the log has them.
    pub(crate) async fn not_ready(&self) -> Option<&'static str> {
        let nothing = Key { tenant: Tenant::default(), instance: "".into(), binding: None };
        let read = timeout(LIMIT, self.read(&nothing, |_| ())).await;
        let read = read.inspect_err(|_| log_store_error(&StoreError::new("no answer in 0.9 s")));
        if !read.is_ok_and(|read| read.is_ok()) {
            return Some("the records can't be read");
        }
        let own = self.settings.readiness.as_ref()?;
        let why = match timeout(LIMIT, catch_panic(async { own.0.check().await })).await {
            Ok(Ok(Ok(()))) => return None,
            Ok(Ok(Err(error))) => error,
            Ok(Err(_)) => "it panicked".into(),
            Err(elapsed) => elapsed.into(),
        };
        tracing::warn!(error = %why, "the readiness check of the broker failed");
        Some("the broker's own check failed")
    }
}
