//! Runs the fuzz targets with the committed inputs.

use std::{fs, path::Path};

use osb_lab::fuzz::TARGETS;

#[test]
fn fuzz_targets_pass_with_all_seeds_and_the_corpus() {
    for (name, target) in TARGETS {
        for kind in ["seeds", "corpus"] {
            let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(kind).join(name);
            let files: Vec<_> = fs::read_dir(&inputs).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert!(!files.is_empty(), "{} is empty", inputs.display());
            for file in files {
                // The last printed file is the one that fails.
                println!("{}", file.display());
                target(&fs::read(&file).unwrap());
            }
        }
    }
}
