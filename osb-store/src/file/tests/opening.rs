//! Opening: paths that can't be opened, and the names of new files.

use std::io;

use super::{super::open_error::OpenFailure, *};

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
    // As after its disk was unmounted: records were there.
    let lost = folder.0.path().join("missing/file");
    let error = reseal(&lost, KEYS[0].parse().expect("a key"), &mut |_| {}).expect_err("it is missing").to_string();
    assert!(error.contains("does not exist or is empty; restore it"), "{error}");
}

#[test]
fn a_file_in_the_current_folder_needs_no_folder_in_its_path() {
    open::sync_folder(Path::new("records.redb")).expect("the current folder exists");
    open::sync_folder(Path::new("missing/records.redb")).expect_err("the folder does not exist");
}

#[test]
fn a_failure_of_the_disk_names_the_remedy() {
    use std::io::ErrorKind;
    for (kind, expected) in [
        (ErrorKind::StorageFull, "; free space on that disk"),
        (ErrorKind::QuotaExceeded, "; free space on that disk"),
        (ErrorKind::PermissionDenied, "; this user needs permission to write there"),
        (ErrorKind::ReadOnlyFilesystem, ": an error of the disk can make it read-only"),
    ] {
        let said = OpenError::new(Path::new("kv.redb"), OpenFailure::Io(kind.into())).to_string();
        assert!(said.starts_with("kv.redb can't be ") && said.ends_with(expected), "{said}");
    }
}

/// A new file has a longer name until it is complete.
#[test]
fn a_name_that_is_too_long_is_not_a_missing_folder() {
    let folder = Folder::new();
    let path = folder.0.path().join("n".repeat(250));
    let said = Redb::open(&path, None).map(drop).expect_err("255 characters are the limit").to_string();
    assert!(said.starts_with(&format!("{} can't be opened: ", path.display())), "{said}");
}

/// The operating system follows 40 links, and refuses to follow more.
#[cfg(target_os = "linux")]
#[test]
fn as_many_links_lead_to_a_new_file_as_the_system_follows() {
    let folder = Folder::new();
    let link = |number: usize| folder.0.path().join(number.to_string());
    for number in 0..=40 {
        std::os::unix::fs::symlink(link(number + 1), link(number)).expect("it is linked");
    }
    let said = Redb::open(link(0), None).map(drop).expect_err("there are 41 links").to_string();
    assert!(said.contains("can't be opened: "), "{said}");
    drop(open(&link(1)));
    assert!(std::fs::symlink_metadata(link(41)).expect("it is made").is_file());
    assert_eq!(names(folder.0.path()).len(), 42);
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
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("theirs", &path).expect("it is linked");
        open::give_name(&new, &path).expect_err("the name is taken, though nothing is there yet");
        std::fs::remove_file(&path).expect("it is removed");
    }
    open::give_name(&new, &path).expect("the name is free");
    assert_eq!(std::fs::read(&path).expect("it is there"), b"mine");
    assert_eq!(names(folder.0.path()).len(), 1);

    // The new file has been removed.
    let error = open::give_name(&new, &folder.next()).expect_err("there is none");
    assert!(matches!(error, OpenFailure::Io(error) if error.kind() == io::ErrorKind::NotFound));
}

/// A file beside another one can be a backup, in spite of its name.
#[tokio::test]
async fn a_file_that_is_beside_the_one_to_create_stays() {
    let (_folder, path) = Folder::with_path();
    let beside = |ending: &str| PathBuf::from(format!("{}{ending}", path.display()));
    let store = sealed(&beside(".copy"), &[KEYS[0]]).expect("it opens");
    put(&store, &key("", "a"), Some(("a", None))).await;
    store.close().await.expect("it closes");
    for ending in [".new", ".resealed"] {
        std::fs::copy(beside(".copy"), beside(ending)).expect("it is copied");
    }
    let others = || [".new", ".resealed"].map(|ending| std::fs::read(beside(ending)).expect("it is there"));
    let before = others();

    let source = sealed(&beside(".copy"), &[KEYS[0]]).expect("it opens");
    let keys: Keys = KEYS[0].parse().expect("a key");
    let copied =
        Redb::copy_from(&source, &path, keys, &mut |_| {}).await.expect_err("the copy would replace its source");
    assert!(
        copied.to_string().contains(&format!("{} exists, perhaps from a run", beside(".copy").display())),
        "{copied}"
    );
    assert!(get(&source, &key("", "a")).await.is_some());
    source.close().await.expect("it closes");
    assert!(beside(".copy").exists() && !path.exists());

    sealed(&path, &[KEYS[0]]).expect("it is created").close().await.expect("it closes");
    let keys = format!("{} {}", KEYS[1], KEYS[0]).parse().expect("keys");
    let resealed = reseal(&path, keys, &mut |_| {}).expect_err("it would replace the file").to_string();
    assert!(
        resealed.starts_with(&format!("{} exists, perhaps from a run", beside(".resealed").display())),
        "{resealed}"
    );
    assert!(others() == before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_copies_to_the_same_file_is_refused() {
    let folder = Folder::new();
    let source = open(&folder.next());
    let instance = |number: u32| (key("", &number.to_string()), suite::record("a", None));
    source.insert_all((0..300).map(instance).collect()).await.expect("they are stored");
    for _ in 0..20 {
        let path = folder.next();
        let copy = async || Redb::copy_from(&source, &path, None, &mut |_| {}).await.map(|copied| copied.instances);
        let both = tokio::join!(copy(), copy());
        let ((Ok(copied), Err(error)) | (Err(error), Ok(copied))) = both else { panic!("{both:?}") };
        assert!(error.to_string().contains("exists") || error.to_string().contains("is in use"), "{error}");
        assert_eq!(copied, 300);
        assert!(get(&open(&path), &key("", "299")).await.is_some());
    }
}

#[tokio::test]
async fn a_copy_is_sealed_with_its_own_keys() {
    let folder = Folder::new();
    let (source, path) = (open(&folder.next()), folder.next());
    put(&source, &key("", "a"), Some(("a secret", None))).await;
    let copy = async || Redb::copy_from(&source, &path, KEYS[0].parse::<Keys>().expect("a key"), &mut |_| {}).await;
    copy().await.expect("it is copied");
    assert!(!contains(&path, "a secret"));
    let error = copy().await.expect_err("it is not empty").to_string();
    assert!(error.ends_with("exists, and perhaps has records already; copy to an empty one"), "{error}");
    let copied = sealed(&path, &[KEYS[0]]).expect("it opens with the key");
    assert_eq!(get(&copied, &key("", "a")).await.as_deref(), Some("a secret"));
}

#[tokio::test]
async fn a_copy_counts_instances_bindings_and_tombstones() {
    let folder = Folder::new();
    let source = open(&folder.next());
    let instances = [1, 2, 3].map(|number| key("", &number.to_string()));
    for instance in &instances {
        put(&source, instance, Some(("one", None))).await;
    }
    for binding in ["a", "b"] {
        put(&source, &instances[0].of_binding(binding.into()), Some(("one", None))).await;
    }
    for number in 0..4 {
        bury(&source, &key("gone", &number.to_string()), "gone").await;
    }
    let mut progress = 0;
    let copied = Redb::copy_from(&source, folder.next(), None, &mut |more| progress += more).await.expect("a copy");
    assert_eq!(copied.to_string(), "3 instances, 2 bindings and 4 tombstones");
    assert_eq!(progress, 9);
    let one = crate::Copied { instances: 1, bindings: 0, tombstones: 1 };
    assert_eq!(one.to_string(), "1 instance, 0 bindings and 1 tombstone");
}

#[test]
fn a_file_of_another_program_is_refused_and_unchanged() {
    let (_folder, path) = Folder::with_path();
    let database = Database::create(&path).expect("it is made");
    let transaction = database.begin_write().expect("it can be written");
    let theirs = redb::TableDefinition::<u64, u64>::new("theirs");
    transaction.open_table(theirs).expect("it is made").insert(1, 2).expect("it is written");
    transaction.commit().expect("written");
    drop(database);
    let error = Redb::open(&path, None).map(drop).expect_err("it has other tables").to_string();
    assert!(error.contains("is not a records file, or it is damaged (it has unknown tables)"), "{error}");
    let database = Database::open(&path).expect("it opens");
    let transaction = database.begin_read().expect("it can be read");
    assert_eq!(transaction.list_tables().expect("they can be read").count(), 1);
    let value = transaction.open_table(theirs).expect("it is there").get(1).expect("it can be read");
    assert_eq!(value.map(|value| value.value()), Some(2));
}

/// `reseal` replaces the file while it holds its lock, which a process can get that opened the file before.
#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_before_it_is_locked_is_not_written() {
    let (_folder, path) = Folder::with_path();
    drop(open(&path));
    let opened = || std::fs::File::options().read(true).write(true).open(&path).expect("it is there");
    let lock = |file| open::locked(file, &path, Creation::IfMissing, &Codec::default()).map(drop);
    lock(opened()).expect("it is the file at the path");
    let before = opened();
    reseal(&path, KEYS[0].parse().expect("a key"), &mut |_| {}).expect("it is sealed");
    assert!(matches!(lock(before), Err(OpenFailure::InUse)), "it has no name any more");
    let before = opened();
    std::fs::remove_file(&path).expect("it is removed");
    assert!(matches!(lock(before), Err(OpenFailure::InUse)), "nor has this one");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = Folder::with_path();
    drop(open(&path));
    assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
}

#[cfg(unix)]
#[test]
fn a_device_is_refused() {
    let error = Redb::open(Path::new("/dev/null"), None).err().expect("nothing can be kept there");
    assert_eq!(error.to_string(), "/dev/null is not a regular file; use another path");
}

#[test]
fn an_empty_file_is_refused() {
    let (folder, path) = Folder::with_path();
    std::fs::write(&path, "").expect("it is written");
    let error = Redb::open(&path, None).map(drop).expect_err("it may have lost its records");
    assert!(!error.is_wrong_key() && error.to_string().contains("is empty: it has lost its records"), "{error}");
    let error = reseal(&path, KEYS[0].parse().expect("a key"), &mut |_| {}).expect_err("it had records").to_string();
    assert!(error.contains("does not exist or is empty; restore it"), "{error}");
    assert_eq!(std::fs::metadata(&path).expect("it is there").len(), 0);
    std::fs::remove_file(&path).expect("it is deleted");
    drop(open(&path));
    drop(open(&path));
    let left: Vec<_> = std::fs::read_dir(folder.0.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_link_to_a_file_that_does_not_exist_yet_creates_that_file() {
    use std::{fs, os::unix::fs::symlink};
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let (first, second, path) = (folder.next(), elsewhere.next(), elsewhere.next());
    symlink(&second, &first).expect("it is linked");
    symlink(path.file_name().expect("a name"), &second).expect("it is linked, from its own folder");
    drop(open(&first));
    for link in [&first, &second] {
        assert!(fs::symlink_metadata(link).expect("it is there").is_symlink());
    }
    assert!(fs::symlink_metadata(&path).expect("it is created").is_file());
    assert_eq!(fs::read_dir(elsewhere.0.path()).expect("a folder").count(), 2, "no other file is left");
}
