//! Programs of other people, which `tests/other-tools/install` installs.

use std::path::{Path, PathBuf};

use osb_throwaway_postgres::skip;

/// Returns a file of an installed program. Returns `None` with a message if it is missing, which is a failure on CI.
///
/// # Panics
///
/// On CI, if it is missing.
#[must_use]
pub fn installed(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let file = root.join("target/other-tools").join(path);
    if file.exists() {
        return Some(file);
    }
    skip(path, "run tests/other-tools/install");
    None
}
