//! Encrypted files: keys that are introduced, replaced and removed, and records of a forger.

use super::*;

/// Stores records with these names and texts in a file, sealed with the first key.
async fn seal(path: &Path, names: &[&str]) {
    let store = sealed(path, &[KEYS[0]]).expect("it opens");
    for name in names {
        put(&store, &key("", name), Some((name, None))).await;
    }
    store.close().await.expect("it closes");
}

/// Copies the bytes of a record to another one, as a forger can who writes to the file with redb.
fn copy_record(path: &Path, from: &str, to: &str) {
    let database = Database::open(path).expect("it opens");
    let forged = database.begin_write().expect("it can be written");
    let stored = tables::current(&forged, &key("", from).to_bytes()).expect("it can be read").expect("it is there");
    overwrite(forged, &key("", to), &stored, &tables::Facts::default());
}

#[tokio::test]
async fn keys_can_be_introduced_replaced_and_removed() {
    let (folder, path) = Folder::with_path();
    let add = async |keys: &[&str], name: &str| {
        let store = sealed(&path, keys).expect("it opens");
        put(&store, &key("", name), Some(("a secret", Some(1)))).await;
        store.close().await.expect("it closes");
    };
    let opens = |keys: &[&str]| {
        let refused = sealed(&path, keys).map(|store| assert_eq!(store.is_sealed(), !keys.is_empty()));
        refused.map_err(|error| {
            assert!(error.is_wrong_key(), "{error}");
            error.to_string()
        })
    };
    let reseal = |keys: &str| reseal(&path, keys.parse().expect("keys"), &mut |_| {});

    add(&[], "open").await;
    assert!(contains(&path, "a secret"));
    opens(&[]).expect("it is not sealed");
    let said = opens(&[KEYS[0]]).expect_err("unsealed records could be forged");
    assert!(said.contains("was written without a key, and has records that are not encrypted (1); "), "{said}");
    assert_eq!(reseal(KEYS[0]).expect("it is sealed"), 1);
    assert!(!contains(&path, "a secret"), "no plain text is left");
    add(&[KEYS[0]], "sealed").await;
    let said = opens(&[]).expect_err("it is sealed");
    assert!(said.contains("are encrypted with the key 607ee9eac1e8c42f, "), "{said}");
    assert!(said.starts_with("2 records in ") && said.ends_with("and no key was given; give that key"), "{said}");
    let said = opens(&[KEYS[1]]).expect_err("another key");
    assert!(said.ends_with("which is not among the given keys; add that key after the newest one"), "{said}");

    add(&[KEYS[1], KEYS[0]], "sealed anew").await;
    opens(&[KEYS[1]]).expect_err("two are sealed with the old one");
    assert_eq!(reseal(&format!("{} {}", KEYS[1], KEYS[0])).expect("it is sealed"), 3);
    opens(&[KEYS[1]]).expect("the old one is not needed any more");
    let store = sealed(&path, &[KEYS[1]]).expect("the old one is not needed any more");
    for name in ["open", "sealed", "sealed anew"] {
        assert_eq!(get(&store, &key("", name)).await.as_deref(), Some("a secret"));
    }
    assert_eq!(store.due(Timestamp::from_millis(1), None, 9).await.expect("indexes are there").len(), 3);
    drop(store);
    assert_eq!(std::fs::read_dir(folder.0.path()).expect("a folder").count(), 1, "no other file is left");
    assert!(reseal(KEYS[0]).is_err(), "not without the key that it is sealed with");
}

#[tokio::test]
async fn a_key_is_not_needed_when_its_last_record_is_removed() {
    let (_folder, path) = Folder::with_path();
    let new = &[KEYS[1], KEYS[0]][..];
    seal(&path, &["a", "b", "c"]).await;
    let store = sealed(&path, new).expect("it opens");
    put(&store, &key("", "a"), None).await;
    bury(&store, &key("", "b"), "sealed anew").await;
    store.close().await.expect("it closes");
    let error = sealed(&path, &[KEYS[1]]).err().expect("one is sealed with the old key");
    assert!(error.to_string().contains(" is encrypted with the key 607ee9eac1e8c42f, "), "{error}");

    let store = sealed(&path, new).expect("it opens");
    put(&store, &key("", "c"), None).await;
    store.close().await.expect("it closes");
    let store = sealed(&path, &[KEYS[1]]).expect("the old key is not needed any more");
    store.forget(Timestamp::from_millis(1)).await.expect("the tombstone is removed");
    store.close().await.expect("it closes");
    drop(open(&path));
}

#[tokio::test]
async fn a_failed_reseal_leaves_no_copy_and_names_the_file_that_failed() {
    let (folder, path) = Folder::with_path();
    seal(&path, &["a"]).await;
    let names = || {
        let mut names = opening::names(folder.0.path());
        names.sort();
        names
    };
    let before = names();
    let reseal = || {
        let keys = format!("{} {}", KEYS[1], KEYS[0]).parse().expect("keys");
        reseal(&path, keys, &mut |_| {}).expect_err("it fails").to_string()
    };

    let copy = format!("{}.resealed", path.display());
    std::fs::create_dir(&copy).expect("it is made");
    assert_eq!(reseal(), format!("{copy} is a folder; name a file in it"));
    std::fs::remove_dir(&copy).expect("it is there");

    copy_record(&path, "a", "b");
    let said = reseal();
    assert!(said.starts_with(&format!("{} has an unreadable record: ", path.display())), "{said}");
    assert_eq!(names(), before);
}

#[cfg(unix)]
#[test]
fn resealing_keeps_the_path_the_owner_and_the_mode() {
    use std::{
        fs,
        os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    };
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let (link, path) = (folder.next(), elsewhere.next());
    drop(open(&path));
    symlink(&path, &link).expect("it is linked");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("its group may read it");
    // Succeeds for root only.
    _ = chown(&path, Some(65534), Some(65534));
    let before = fs::metadata(&path).expect("it is there");

    reseal(&link, KEYS[0].parse().expect("a key"), &mut |_| {}).expect("it is sealed");
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    let after = fs::metadata(&path).expect("it is there");
    assert_ne!(after.ino(), before.ino(), "it is a new one");
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    for folder in [folder, elsewhere] {
        assert_eq!(fs::read_dir(folder.0.path()).expect("a folder").count(), 1, "no other file is left");
    }
}

#[cfg(unix)]
#[test]
fn resealing_does_not_write_through_a_link_of_another_user() {
    use std::{fs, os::unix::fs::symlink};
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let (path, planted) = (folder.next(), elsewhere.next());
    drop(open(&path));
    let link = path.with_added_extension("resealed");
    symlink(&planted, &link).expect("it is linked");

    let error = reseal(&path, KEYS[0].parse().expect("a key"), &mut |_| {}).expect_err("the name is taken");
    assert!(error.to_string().contains("resealed"), "{error}");
    assert!(!planted.exists() && fs::symlink_metadata(&path).expect("it is there").is_file());
    drop(open(&path));
}

#[tokio::test]
async fn a_moved_record_is_refused_and_others_are_not() {
    let (_folder, path) = Folder::with_path();
    seal(&path, &["a", "b", "c"]).await;
    copy_record(&path, "a", "b");
    let store = sealed(&path, &[KEYS[0]]).expect("it opens");
    assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("a"));
    let error = store.read(&key("", "b"), &mut |_| panic!("it is not shown")).await.expect_err("it was moved");
    assert!(error.to_string().contains("its seal is broken"), "{error}");
    assert!(add_one(&store, &key("", "b")).await.is_err());
    put(&store, &key("", "c"), Some(("still", None))).await;
    assert_eq!(get(&store, &key("", "c")).await.as_deref(), Some("still"));
}

#[tokio::test]
async fn a_forged_unsealed_record_is_refused() {
    let (_folder, path) = Folder::with_path();
    let store = sealed(&path, &[KEYS[0]]).expect("it opens");
    put(&store, &key("", "a"), Some(("a", Some(1)))).await;
    let forged = Codec::write(&suite::record("forged", None)).expect("it can be written");
    // After the check at opening, which counts unsealed records.
    let transaction = store.file.begin_write().await.expect("it can be written");
    overwrite(transaction, &key("", "a"), &forged, &tables::Facts::default());
    let error = store.read(&key("", "a"), &mut |_| panic!("it is not shown")).await.expect_err("it was forged");
    assert!(error.to_string().contains("it is not encrypted"), "{error}");
}

/// Encrypting it would make the forged record as good as the others.
#[tokio::test]
async fn a_forged_unsealed_record_is_not_resealed() {
    let (_folder, path) = Folder::with_path();
    seal(&path, &["a", "b", "c"]).await;
    let database = Database::open(&path).expect("it opens");
    let plain = Codec::write(&suite::record("forged", None)).expect("it can be written");
    let forged = database.begin_write().expect("it can be written");
    // Without the count of unsealed records, which is checked at opening.
    let records = redb::TableDefinition::<&[u8], &[u8]>::new("live");
    let mut table = forged.open_table(records).expect("it is there");
    table.insert(&key("", "b").to_bytes()[..], &plain[..]).expect("it is written");
    drop(table);
    forged.commit().expect("it is written");
    drop(database);
    let reseal = || {
        let keys = format!("{} {}", KEYS[1], KEYS[0]).parse().expect("keys");
        reseal(&path, keys, &mut |_| {}).expect_err("it is forged").to_string()
    };
    let expected = format!("{} has encrypted records, and others that are not", path.display());
    let said = reseal();
    assert!(said.starts_with(&expected), "{said}");

    let database = Database::open(&path).expect("it opens");
    let forged = database.begin_write().expect("it can be written");
    overwrite(forged, &key("", "c"), &plain, &tables::Facts::default());
    drop(database);
    let error = sealed(&path, &[KEYS[0]]).err().expect("it is forged");
    assert!(error.to_string().starts_with(&expected) && error.is_wrong_key(), "{error}");
    assert_eq!(reseal(), said);
}
