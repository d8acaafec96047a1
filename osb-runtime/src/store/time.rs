//! The time stamps of records.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// A time of the system clock, in milliseconds since 1970. Records outlive processes, so a monotonic clock would not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Timestamp(pub(crate) u64);

impl Timestamp {
    /// The latest time.
    pub const MAX: Self = Self(u64::MAX);

    /// Makes the time this number of milliseconds after 1970.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Returns the number of milliseconds since 1970.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Adds a duration, up to [`MAX`](Self::MAX).
    pub(crate) fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns the duration since `earlier`, or zero if `earlier` is later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        Self::default().after(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        Self::UNIX_EPOCH + Duration::from_millis(time.0)
    }
}
