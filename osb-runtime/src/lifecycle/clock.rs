//! The clock, which tests can control.

use std::{
    sync::LazyLock,
    time::{self, Duration, SystemTime},
};

use tokio::time::Instant;

use crate::{failpoint::system_time, store::Timestamp};

/// The lifecycle's source of the time: the system, or tokio's clock since this time, by either clock.
#[derive(Debug, Clone, Default)]
pub struct Clock(Option<(SystemTime, Instant)>);

/// Limits durations that are added to an instant, because the addition can overflow.
pub(crate) const MAX_DURATION: Duration = Duration::from_hours(24 * 365);

/// The time at which the process first needed it, by the system's clock and by the monotonic one.
static START: LazyLock<(Timestamp, time::Instant)> = LazyLock::new(|| (system_time().into(), time::Instant::now()));

impl Clock {
    /// Returns the clock of the system, which is the default. It is read once, and continued by the monotonic clock, so that
    /// leases and deadlines don't change when the system's clock is set.
    pub fn wall() -> Self {
        Self::default()
    }

    /// Returns a clock that starts at the current time and follows tokio's clock, which a test can pause and advance.
    pub fn of_runtime() -> Self {
        Self::starting_at(SystemTime::now())
    }

    /// Like [`of_runtime`](Self::of_runtime), for tests with records that are older than their operations may last.
    pub fn starting_at(time: SystemTime) -> Self {
        Self(Some((time, Instant::now())))
    }

    pub(crate) fn now(&self) -> Timestamp {
        match self.0 {
            None => START.0.after(START.1.elapsed()),
            Some((start, from)) => Timestamp::from(start).after(from.elapsed()),
        }
    }

    /// Returns the time as other systems see it, for comparisons with their times and for the log.
    pub(crate) fn date(&self) -> SystemTime {
        match self.0 {
            None => system_time(),
            Some(_) => self.now().into(),
        }
    }
}

/// Returns the instant after this duration from now.
pub(super) fn within(duration: Duration) -> Instant {
    Instant::now() + duration.min(MAX_DURATION)
}
