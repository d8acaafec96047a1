//! Places where a test lets the process die, as it would by `kill -9`: `OSB_FAILPOINT=store.commit:3` ends it when it comes to
//! `store.commit` for the third time. Without the feature `failpoints` they are nothing.

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

    /// Ends the process if the environment says so for this place.
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
