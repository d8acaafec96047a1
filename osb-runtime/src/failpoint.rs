//! Failpoints: named positions at which a crash test aborts the process, as `kill -9` would. `OSB_FAILPOINT=store.commit:3`
//! aborts it when it reaches `store.commit` for the third time. Without the feature `failpoints` they compile to nothing.

#[cfg(feature = "failpoints")]
mod armed {
    use std::sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
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
}

#[cfg(feature = "failpoints")]
pub use armed::reach;

#[cfg(not(feature = "failpoints"))]
pub(crate) const fn reach(_: &str) {}
