//! What an operator, or an author, can decide about the lifecycle.

use std::{sync::Arc, time::Duration};

use super::{AnyHooks, Audit, Clock, Metrics, Probe};
use crate::{catalog::Overrides, store::Records};

/// Times, limits, and answers to what the specification leaves open. `Settings::default()` suits most brokers; change
/// what differs:
///
/// ```
/// use std::time::Duration;
/// let mut settings = osb_runtime::lifecycle::Settings::default();
/// settings.moment = Duration::from_millis(200);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Settings {
    /// How long a platform that accepts a 202 is kept waiting for a final answer first. Default: 1 s.
    pub moment: Duration,
    /// How long a handler may run while a platform waits for the answer; then it is cancelled, and what it made is
    /// removed. Default: 50 s, because platforms hang up after 60 s (ASY-01).
    pub deadline: Duration,
    /// How long a cancelled handler has to come to an end before it is dropped. Default: 2 s.
    pub grace: Duration,
    /// How long the answer to a failed request waits for what it left behind to be removed, which goes on
    /// regardless. Default: 5 s.
    pub cleanup: Duration,
    /// How long an asynchronous operation may take, unless its plan says less by `maximum_polling_duration`. Default:
    /// 7 days, as long as platforms poll (S19).
    pub longest: Duration,
    /// What `Retry-After` says while an operation is in progress (HDR-10). Default: 5 s; nothing is said if it is less
    /// than one second.
    pub retry_after: Duration,
    /// How long the claim of a worker holds that gives no sign of life. Then another one takes over. Default: 30 s.
    pub lease: Duration,
    /// How long it is remembered what became of something that is gone (LOI-09, S35). Default: 8 days.
    pub remember: Duration,
    /// How many handlers may run at once for each service; more wait. Default: 64.
    pub concurrency: usize,
    /// How errors that the author calls temporary are met.
    pub retries: Retries,
    /// What a poll is told after a deletion has succeeded (T13).
    pub deleted: Deleted,
    /// What happens to an instance's bindings when it is deleted (T22).
    pub bindings_left: BindingsLeft,
    /// Whether an instance can't be changed or deleted while one of its bindings is being made or removed, and the
    /// other way round (BLK-03, T23). Default: false; an instance can never be deleted then.
    pub bind_blocks_instance: bool,
    /// Whether the id of something that is gone may be used again (PROV-02, T24). Default: true.
    pub reuse_ids: bool,
    /// Whether credentials are handed out more than once (BIND-17, X04, X05).
    pub credentials: HandOut,
    /// What the catalog says otherwise than the program. Default: nothing.
    pub overrides: Overrides,
    /// Who is told of every operation, beside the log. Default: nobody.
    pub audit: Option<Arc<dyn Audit>>,
    /// What is done before and after every operation. Default: nothing.
    pub hooks: Option<AnyHooks>,
    /// Counts requests and operations. Default: nothing does.
    pub metrics: Option<Arc<dyn Metrics>>,
    /// Follows handlers, for tests. Default: nothing does.
    pub probe: Option<Arc<dyn Probe>>,
    /// Where the time comes from.
    pub clock: Clock,
    /// Where the records are. Default: in memory of its own.
    pub store: Records,
}

impl Default for Settings {
    fn default() -> Self {
        const HOUR: u64 = 3600;
        Self {
            moment: Duration::from_secs(1),
            deadline: Duration::from_secs(50),
            grace: Duration::from_secs(2),
            cleanup: Duration::from_secs(5),
            longest: Duration::from_secs(7 * 24 * HOUR),
            retry_after: Duration::from_secs(5),
            lease: Duration::from_secs(30),
            remember: Duration::from_secs(8 * 24 * HOUR),
            concurrency: 64,
            retries: Retries::default(),
            deleted: Deleted::default(),
            bindings_left: BindingsLeft::default(),
            bind_blocks_instance: false,
            reuse_ids: true,
            credentials: HandOut::default(),
            overrides: Overrides::default(),
            audit: None,
            hooks: None,
            metrics: None,
            probe: None,
            clock: Clock::default(),
            store: Records::in_memory(),
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("moment", &self.moment)
            .field("deadline", &self.deadline)
            .field("longest", &self.longest)
            .field("lease", &self.lease)
            .field("remember", &self.remember)
            .field("concurrency", &self.concurrency)
            .finish_non_exhaustive()
    }
}

/// How often, and when, something is tried again that failed with an error which its author calls temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retries {
    /// How many attempts there are in all. Default: 8.
    pub attempts: u32,
    /// The pause before the second one; each further one is twice as long. Default: 500 ms.
    pub first: Duration,
    /// The longest pause. Default: 1 min.
    pub most: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self { attempts: 8, first: Duration::from_millis(500), most: Duration::from_mins(1) }
    }
}

impl Retries {
    /// The pause after so many attempts, if there is to be another one.
    pub(super) fn pause(&self, attempts: u32) -> Option<Duration> {
        let doubled = 2_u32.saturating_pow(attempts.saturating_sub(1));
        (attempts < self.attempts).then(|| self.first.saturating_mul(doubled).min(self.most))
    }
}

/// What a poll is told after a deletion has succeeded. Platforms take both for success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Deleted {
    /// 410 `{}`.
    #[default]
    Gone,
    /// 200 with the state `succeeded`.
    Succeeded,
}

/// What happens to an instance's bindings when it is deleted. Platforms should have unbound them before; the
/// specification leaves it open (DEP-02).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BindingsLeft {
    /// They are unbound first. If the instance then can't be deleted, they stay unbound, and so a refusal of the
    /// author's becomes a 500: a 4xx would say that nothing has changed (ERR-08).
    #[default]
    Unbind,
    /// The deletion is refused with 422 while there are any.
    Refuse,
}

/// Whether credentials are handed out more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HandOut {
    /// Whenever the binding is asked for.
    #[default]
    Always,
    /// Only once: in the answer to the bind, or to the first fetch if that answer was 202. Then they are forgotten
    /// here too.
    Once,
}
