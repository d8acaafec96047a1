//! What a file does beside what every store does.

use std::sync::Arc;

use super::*;
use crate::store::suite;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn open(&self, name: &str) -> Redb {
        Redb::open(&self.0.path().join(name), Codec).expect("it opens")
    }
}

#[test]
fn a_file_is_a_store() {
    let (folder, count) = (Folder::new(), std::sync::atomic::AtomicU32::new(0));
    suite::test(|| Arc::new(folder.open(&format!("{}.redb", count.fetch_add(1, Ordering::Relaxed)))));
}
