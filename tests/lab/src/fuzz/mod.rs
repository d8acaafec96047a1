//! What has to hold whatever comes in: the fuzz targets of `tests/fuzz`, which the tests replay with what the fuzzer has
//! found. Each takes a fuzzer's bytes, and panics if something is wrong.

mod parameters;
mod requests;
mod sealed;

pub use parameters::parameters;
pub use requests::{bodies, headers, path_and_query};
pub use sealed::sealed;

/// A target: its name, and what it does with a fuzzer's bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 5] = [
    ("path_and_query", path_and_query),
    ("headers", headers),
    ("bodies", bodies),
    ("parameters", parameters),
    ("sealed", sealed),
];
