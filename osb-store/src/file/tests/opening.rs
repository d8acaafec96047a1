//! Opening: paths that can't be opened, and the names of new files.

use std::path::PathBuf;

use super::*;

/// The names in a folder.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a name").file_name());
    names.map(|name| name.into_string().expect("the tests name files in ASCII")).collect()
}

#[test]
fn a_path_that_is_no_file_is_refused_and_nothing_is_made() {
    let folder = Folder::new();
    std::fs::create_dir(folder.0.path().join("folder")).expect("it is made");
    for (path, message) in [
        ("folder", "is a folder; name a file in it"),
        ("missing/file", "can't be created: its folder does not exist; create the folder first"),
    ] {
        let path = folder.0.path().join(path);
        let error = Redb::open(&path, None).map(drop).expect_err("it is no file").to_string();
        assert_eq!(error, format!("{} {message}", path.display()));
        assert_eq!(names(folder.0.path()), ["folder"]);
    }
}

#[test]
fn a_file_in_the_current_folder_needs_no_folder_in_its_path() {
    open::sync_folder(Path::new("records.redb")).expect("the current folder exists");
}

/// Two processes can create the same file at the same time.
#[test]
fn a_new_file_does_not_replace_the_file_of_another_process() {
    let folder = Folder::new();
    let (new, path) = (folder.next(), folder.next());
    std::fs::write(&new, "mine").expect("it is written");
    std::fs::write(&path, "theirs").expect("it is written");
    let error = OpenError::new(&path, open::give_name(&new, &path).expect_err("the name is taken")).to_string();
    assert!(error.ends_with("is in use by another process; stop that process or use another file"), "{error}");
    assert_eq!(std::fs::read(&path).expect("it is there"), b"theirs");

    std::fs::remove_file(&path).expect("it is removed");
    open::give_name(&new, &path).expect("the name is free");
    assert_eq!(std::fs::read(&path).expect("it is there"), b"mine");
    assert_eq!(names(folder.0.path()).len(), 1);
}

/// The other process has opened it, and has not given it its name yet.
#[test]
fn a_file_that_another_process_is_creating_is_not_emptied() {
    let folder = Folder::new();
    let path = folder.next();
    let new = PathBuf::from(format!("{}.new", path.display()));
    let theirs = std::fs::File::create(&new).expect("it is made");
    std::fs::write(&new, "theirs").expect("it is written");
    theirs.lock().expect("it can be locked");
    let error = Redb::open(&path, None).map(drop).expect_err("it is being created").to_string();
    assert!(error.contains("is in use by another process"), "{error}");
    assert_eq!(std::fs::read(&new).expect("it is there"), b"theirs");
    // It has died.
    drop(theirs);
    Redb::open(&path, None).map(drop).expect("it begins anew");
    assert!(!new.exists() && path.exists());
}

#[test]
fn a_file_of_another_program_is_refused_and_unchanged() {
    let folder = Folder::new();
    let path = folder.next();
    let database = Database::create(&path).expect("it is made");
    let transaction = database.begin_write().expect("it can be written");
    transaction.open_table(redb::TableDefinition::<u64, u64>::new("theirs")).expect("it is made");
    transaction.commit().expect("written");
    drop(database);
    let error = Redb::open(&path, None).map(drop).expect_err("it has other tables").to_string();
    assert!(error.contains("is not a file of records, or it is damaged (it has unknown tables)"), "{error}");
    let database = Database::open(&path).expect("it opens");
    let tables = database.begin_read().expect("it can be read").list_tables().expect("they can be read").count();
    assert_eq!(tables, 1);
}
