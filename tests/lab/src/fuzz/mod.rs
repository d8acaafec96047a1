//! The fuzz targets of `tests/fuzz`, which the tests also run with the inputs that the fuzzer has found. Each target
//! takes bytes and panics if it finds an error.

mod parameters;
mod requests;
mod sealed;

pub use parameters::parameters;
pub use requests::{bodies, headers, path_and_query};
pub use sealed::sealed;

/// A target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 5] = [
    ("path_and_query", path_and_query),
    ("headers", headers),
    ("bodies", bodies),
    ("parameters", parameters),
    ("sealed", sealed),
];
