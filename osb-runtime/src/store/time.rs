//! Time as records have it.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970. Records outlive processes, so it is the time of the clock on the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Timestamp(pub(crate) u64);

impl Timestamp {
    /// The end of time.
    pub const MAX: Self = Self(u64::MAX);

    /// The time so many milliseconds after 1970.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// The number of milliseconds since 1970.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// So much later; never later than the end of time.
    pub(crate) fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }

    /// The moment before.
    pub(crate) fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// How long it is from `earlier` until this; nothing if it was before.
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
