//! What the workspace's tests have in common; the tests are the files in `tests`.

pub mod offered;
pub mod seed;
