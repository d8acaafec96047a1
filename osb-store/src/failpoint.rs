//! Places where a crash test can end the process.

#[cfg(feature = "failpoints")]
pub(crate) use osb_runtime::failpoint::reach;

#[cfg(not(feature = "failpoints"))]
pub(crate) const fn reach(_: &str) {}
