//! What the fuzzer began with and what it has found, once more.

use std::{fs, path::Path};

use osb_lab::fuzz::TARGETS;

#[test]
fn what_was_fuzzed_is_still_in_order() {
    for (name, target) in TARGETS {
        for kind in ["seeds", "corpus"] {
            let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(kind).join(name);
            let files: Vec<_> = fs::read_dir(&inputs).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert!(!files.is_empty(), "{} is empty", inputs.display());
            for file in files {
                // The last one that is said is the one that fails.
                println!("{}", file.display());
                target(&fs::read(&file).unwrap());
            }
        }
    }
}
