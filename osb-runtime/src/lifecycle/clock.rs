//! Time, which tests can take into their own hands.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::store::Timestamp;

/// Where the lifecycle gets the time from.
#[derive(Debug, Clone, Default)]
pub struct Clock(Source);

#[derive(Debug, Clone, Default)]
enum Source {
    #[default]
    Wall,
    Runtime {
        start: SystemTime,
        from: Instant,
    },
}

/// An instant has an end, a duration has none.
const LONGEST: Duration = Duration::from_hours(24 * 365);

impl Clock {
    /// The clock on the wall: the default.
    #[must_use]
    pub fn wall() -> Self {
        Self::default()
    }

    /// A clock that begins now and goes as fast as tokio's: where a test pauses and advances that, weeks pass at once.
    #[must_use]
    pub fn of_runtime() -> Self {
        Self(Source::Runtime { start: SystemTime::now(), from: Instant::now() })
    }

    pub(crate) fn now(&self) -> Timestamp {
        match self.0 {
            Source::Wall => SystemTime::now().into(),
            Source::Runtime { start, from } => Timestamp::from(start).after(from.elapsed()),
        }
    }

    /// The same moment for a timer.
    pub(super) fn instant(&self, at: Timestamp) -> Instant {
        Instant::now() + at.since(self.now()).min(LONGEST)
    }
}

/// So long from now.
pub(super) fn within(duration: Duration) -> Instant {
    Instant::now() + duration.min(LONGEST)
}
