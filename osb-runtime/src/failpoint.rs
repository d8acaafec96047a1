//! Failpoints: named positions at which a crash test aborts the process, as `kill -9` would. `OSB_FAILPOINT=store.commit:3`
//! aborts it when it reaches `store.commit` for the third time. Without the feature `failpoints` they compile to nothing.
//!
//! `OSB_CLOCK` names a file with an offset in seconds, which is added to the system time, so that a test can set the clock.

#[cfg(feature = "failpoints")]
pub(crate) mod armed {
    use std::{
        ffi::OsString,
        fs,
        sync::{
            OnceLock,
            atomic::{AtomicU64, Ordering},
        },
        time::{Duration, SystemTime},
    };

    struct Point {
        name: String,
        left: AtomicU64,
    }

    static POINT: OnceLock<Option<Point>> = OnceLock::new();

    fn from_environment() -> Option<Point> {
        let text = std::env::var("OSB_FAILPOINT").ok()?;
        let (name, times) = text.rsplit_once(':')?;
        Some(Point { name: name.to_owned(), left: AtomicU64::new(times.parse().ok()?) })
    }

    /// Aborts the process if `OSB_FAILPOINT` names this failpoint and its count is reached.
    pub fn reach(name: &str) {
        let Some(point) = POINT.get_or_init(from_environment) else { return };
        if point.name == name && point.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            eprintln!("failpoint {name}");
            std::process::abort();
        }
    }

    /// Returns the system time plus the offset, in seconds, in the file that `OSB_CLOCK` names.
    pub(crate) fn system_time() -> SystemTime {
        static CLOCK: OnceLock<Option<OsString>> = OnceLock::new();
        let now = SystemTime::now();
        let Some(file) = CLOCK.get_or_init(|| std::env::var_os("OSB_CLOCK")) else { return now };
        let ahead = fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0_i64);
        let step = Duration::from_secs(ahead.unsigned_abs());
        if ahead < 0 { now - step } else { now + step }
    }
}

#[cfg(feature = "failpoints")]
pub(crate) use armed::{reach, system_time};

#[cfg(not(feature = "failpoints"))]
pub(crate) const fn reach(_: &str) {}

#[cfg(not(feature = "failpoints"))]
pub(crate) fn system_time() -> std::time::SystemTime {
    std::time::SystemTime::now()
}
