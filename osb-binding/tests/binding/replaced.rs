//! A secret that is replaced while it is read, as Kubernetes replaces those that are mounted.

use std::{collections::BTreeMap, fs, os::unix::fs::symlink, path::Path, thread};

use osb_binding::Bindings;

const ENTRIES: [&str; 4] = ["password", "type", "uri", "username"];

/// Writes a version of the secret beside the one before it, makes it the current one by renaming a link, and removes the other.
fn replace(folder: &Path, version: u32) {
    let new = format!("..{version}");
    fs::create_dir(folder.join(&new)).expect("a folder");
    for entry in ENTRIES {
        fs::write(folder.join(&new).join(entry), version.to_string()).expect("an entry");
    }
    symlink(&new, folder.join("..data_tmp")).expect("a link");
    fs::rename(folder.join("..data_tmp"), folder.join("..data")).expect("it is replaced");
    if let Some(old) = version.checked_sub(1) {
        fs::remove_dir_all(folder.join(format!("..{old}"))).expect("it is removed");
    }
}

#[test]
fn a_secret_that_is_replaced_meanwhile_has_the_entries_of_one_version() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("db");
    fs::create_dir(&folder).expect("a folder");
    replace(&folder, 0);
    for entry in ENTRIES {
        symlink(format!("..data/{entry}"), folder.join(entry)).expect("a link");
    }
    thread::scope(|scope| {
        let writer = scope.spawn(|| (1..=200).for_each(|version| replace(&folder, version)));
        while !writer.is_finished() {
            let bindings = Bindings::from_directory(root.path()).expect("they can be read");
            let binding = bindings.name("db").expect("the binding");
            let entries: BTreeMap<String, u32> = binding.credentials().expect("numbers");
            let version = entries.values().next().expect("an entry");
            assert_eq!(entries, ENTRIES.map(|entry| (entry.to_owned(), *version)).into());
        }
    });
}
