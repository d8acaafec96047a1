//! Failpoints: named positions at which a crash test ends the process.

#[cfg(feature = "failpoints")]
pub(crate) use osb_runtime::__private::reach;

#[cfg(not(feature = "failpoints"))]
pub(crate) const fn reach(_: &str) {}
