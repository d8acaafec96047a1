//! Settings of the lifecycle.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{AnyHooks, AnyReadiness, Audit, Clock, HandlerObserver, Metrics, clock::MAX_DURATION};
use crate::{
    catalog::Overrides,
    protocol::debug_fields,
    store::{Records, Timestamp},
};

/// Times, limits, and choices that the specification leaves to the broker. The defaults suit most brokers:
///
/// ```
/// use std::time::Duration;
/// let mut settings = osb_runtime::lifecycle::Settings::default();
/// settings.sync_wait = Duration::from_millis(200);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Time to wait for the end of an operation before the response is 202, if the platform accepts a 202. Default: 1 s.
    pub sync_wait: Duration,
    /// Maximum time of a synchronous operation. After that, its handler is cancelled, and a create is rolled back. Default:
    /// 50 s, because platforms close the connection after 60 s (ASY-01).
    pub sync_deadline: Duration,
    /// Time for a cancelled handler to return before it is dropped; at most the rest of the claim's lease. Default: 2 s.
    pub cancel_grace: Duration,
    /// Time for which the response to a failed create waits for the rollback, which continues afterwards. Default: 5 s.
    pub rollback_wait: Duration,
    /// Maximum time of an asynchronous operation, unless `maximum_polling_duration` of its plan is shorter. Default: 7 days, because
    /// platforms poll that long (S19). Counted from the operation's start, it also limits rollbacks that other processes take over.
    pub max_operation_time: Duration,
    /// Value of `Retry-After` while an operation is in progress (HDR-10). Default: 5 s; the header is left out if it is
    /// less than one second.
    pub retry_after: Duration,
    /// Lease of a claim. A worker renews it while its handler runs; when it expires, another worker takes over. If the store
    /// confirms no renewal, the handler is cancelled before the lease ends, earlier by [`cancel_grace`](Self::cancel_grace) or a
    /// third of the lease, whichever is shorter. Default: 30 s.
    pub lease: Duration,
    /// Time for which the tombstone of a deleted instance or binding is kept for polls (LOI-09, S35). Default: 8 days.
    pub tombstone_ttl: Duration,
    /// Maximum number of handlers that run concurrently for each service; others wait. Default: 64.
    pub concurrency: usize,
    /// Maximum number of operations of each service that wait for a handler; a request for one more is answered 503 with
    /// `Retry-After`, and nothing is stored. Default: 1024.
    pub queue_limit: usize,
    /// Retries of attempts that fail with a temporary error.
    pub retry: RetryPolicy,
    /// Response to a poll after a deletion has succeeded (T13).
    pub deleted_poll: DeletedPoll,
    /// Treatment of the bindings of an instance that is deleted (T22).
    pub remaining_bindings: RemainingBindings,
    /// `true` to run at most one operation at a time on an instance and its bindings (BLK-03, T23): a bind or an unbind then
    /// blocks operations on other bindings and updates within the plan, and such an update blocks unbinds. Independently of
    /// this setting, a bind or an unbind blocks a deletion and a change of plan, a change of plan blocks unbinds, and any update
    /// blocks binds. Default: `false`.
    pub bind_blocks_instance: bool,
    /// `true` to refuse the id of a deleted instance or binding while its tombstone is kept (PROV-02, T24). Default: `false`.
    pub unique_ids: bool,
    /// Repeated reads of credentials (BIND-17, X04, X05).
    pub credential_reads: CredentialReads,
    /// Starts the broker although its types can't decode all stored states and parameters. The log then lists
    /// them. Operations that need such a state fail with an unexpected error, and deletions get an
    /// [unreadable state](crate::service::StoredState). Default: false.
    pub allow_unreadable_state: bool,
    /// Catalog values that replace those of the program. Default: none.
    pub overrides: Overrides,
    /// Receives the events of all operations, in addition to the log. Default: none.
    pub audit: Option<Arc<dyn Audit>>,
    /// Hooks before and after every operation. Default: none.
    pub hooks: Option<AnyHooks>,
    /// An additional condition of `/readyz`. Default: none.
    pub readiness: Option<AnyReadiness>,
    /// Counts requests and operations. Default: none.
    pub metrics: Option<Arc<dyn Metrics>>,
    /// Observes handlers, for tests. Default: none.
    pub observer: Option<Arc<dyn HandlerObserver>>,
    /// The source of the time, unless the store has [its own](crate::store::Store::now).
    pub clock: Clock,
    /// The record store. Brokers with different services need different ones. Default: a new one in memory.
    pub store: Records,
}

impl Default for Settings {
    fn default() -> Self {
        const HOUR: u64 = 3600;
        Self {
            sync_wait: Duration::from_secs(1),
            sync_deadline: Duration::from_secs(50),
            cancel_grace: Duration::from_secs(2),
            rollback_wait: Duration::from_secs(5),
            max_operation_time: Duration::from_secs(7 * 24 * HOUR),
            retry_after: Duration::from_secs(5),
            lease: Duration::from_secs(30),
            tombstone_ttl: Duration::from_secs(8 * 24 * HOUR),
            concurrency: 64,
            queue_limit: 1024,
            retry: RetryPolicy::default(),
            deleted_poll: DeletedPoll::default(),
            remaining_bindings: RemainingBindings::default(),
            bind_blocks_instance: false,
            unique_ids: false,
            credential_reads: CredentialReads::default(),
            allow_unreadable_state: false,
            overrides: Overrides::default(),
            audit: None,
            hooks: None,
            readiness: None,
            metrics: None,
            observer: None,
            clock: Clock::default(),
            store: Records::in_memory(),
        }
    }
}

impl Settings {
    /// Returns the time that all processes with the store share, or else that of the clock.
    pub(super) fn now(&self) -> Timestamp {
        self.store.store().now().unwrap_or_else(|| self.clock.now())
    }

    /// Returns the date, for comparison with times that other systems set, such as the expiry of a binding. The store's counts
    /// if it is earlier: a process whose clock is ahead would end the bindings of all processes.
    pub(super) fn date(&self) -> Timestamp {
        let date = self.clock.date().into();
        self.store.store().now().map_or(date, |shared| shared.min(date))
    }

    /// Returns the time at which a tombstone of an instance or binding that ends at `at` can be removed.
    pub(super) fn forget_at(&self, at: Timestamp) -> Timestamp {
        at.after(self.tombstone_ttl)
    }

    /// Converts time stamps for use with tokio's timers.
    pub(super) fn instants<const N: usize>(&self, times: [Timestamp; N]) -> [Instant; N] {
        let (now, instant) = (self.now(), Instant::now());
        times.map(|time| instant + time.since(now).min(MAX_DURATION))
    }

    /// Returns a problem for each invalid value: zeros, and delays in the wrong order.
    pub(crate) fn problems(&self) -> Vec<String> {
        let zero = [
            ("lease", self.lease.is_zero()),
            ("sync_deadline", self.sync_deadline.is_zero()),
            ("max_operation_time", self.max_operation_time.is_zero()),
            ("concurrency", self.concurrency == 0),
            ("retry.max_attempts", self.retry.max_attempts == 0),
        ];
        let must_be_greater = |name| format!("the setting {name} must be greater than 0");
        let zero = zero.into_iter().filter(|(_, is_zero)| *is_zero).map(|(name, _)| must_be_greater(name));
        let RetryPolicy { initial_delay, max_delay, .. } = self.retry;
        let order = (initial_delay > max_delay).then(|| {
            format!(
                "the setting retry.initial_delay ({initial_delay:?}) must not be longer than retry.max_delay ({max_delay:?})"
            )
        });
        order.into_iter().chain(zero).collect()
    }
}

debug_fields!(Settings { sync_wait, sync_deadline, max_operation_time, lease, tombstone_ttl, concurrency });

/// The number and the delays of retries after temporary errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct RetryPolicy {
    /// Maximum number of attempts that may fail with a temporary error. The rollback of a failed create counts its own;
    /// attempts that were interrupted don't count. Default: 8.
    pub max_attempts: u32,
    /// Delay before the second attempt; it doubles with each further attempt. Default: 500 ms.
    pub initial_delay: Duration,
    /// Maximum delay. Default: 1 min.
    pub max_delay: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_attempts: 8, initial_delay: Duration::from_millis(500), max_delay: Duration::from_mins(1) }
    }
}

impl RetryPolicy {
    /// Returns the delay after this number of temporary failures; `None` if it was the last attempt.
    pub(super) fn pause(&self, failures: u32) -> Option<Duration> {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        (failures < self.max_attempts).then(|| self.initial_delay.saturating_mul(doubled).min(self.max_delay))
    }
}

/// Response to a poll after a deletion has succeeded. Platforms treat both as success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DeletedPoll {
    /// 410 `{}`.
    #[default]
    Gone,
    /// 200 with the state `succeeded`.
    Succeeded,
}

/// Treatment of the bindings of an instance that is deleted. Platforms should unbind them first; the specification
/// leaves the broker's behaviour open (DEP-02).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RemainingBindings {
    /// The deletion cascades: the bindings are unbound first. They stay unbound if the deprovision then fails; its
    /// refusal becomes a 500, because a 4xx would mean that nothing has changed (ERR-08).
    #[default]
    Unbind,
    /// The deletion is refused with 422 while the instance has bindings.
    Refuse,
}

/// Policy for repeated reads of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CredentialReads {
    /// Every bind response and fetch returns them.
    #[default]
    Always,
    /// One response returns them: the response to the bind, or to the first fetch if the bind was answered 202. Then
    /// they are removed from the record.
    Once,
}
