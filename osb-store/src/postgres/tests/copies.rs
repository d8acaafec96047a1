//! Copies of all records, and their encryption.

use super::*;

#[test]
fn records_are_sealed_and_open_with_their_keys_only() {
    test(async |database| {
        let url = database.url("");
        let store = connect(&url).await;
        put(&store, &key("", "secret text"), Some(("geheim", Some(1)))).await;
        let refused = Postgres::connect(&url, keys(1)).await.expect_err("not sealed").to_string();
        assert!(refused.contains("not encrypted") && refused.contains("reseal"), "{refused}");

        assert_eq!(Postgres::reseal(&url, keys(1), &mut |_| {}).await.expect("sealed"), 1);
        assert_eq!(Postgres::reseal(&url, keys(1), &mut |_| {}).await.expect("sealed"), 0);
        let client = database.session().await;
        let row = client.query_one("select record from s0.records", &[]).await.expect("a row");
        assert!(!row.get::<_, &[u8]>(0).windows(6).any(|part| part == b"geheim"));

        let refused = Postgres::connect(&url, None).await.expect_err("no key").to_string();
        assert!(refused.ends_with(", and no key was given: give that key"), "{refused}");
        let refused = Postgres::connect(&url, keys(2)).await.expect_err("another key").to_string();
        assert!(refused.contains("not among the given keys"), "{refused}");
        assert!(Postgres::connect(&url, None).await.is_err());
        let store = Postgres::connect(&url, keys(1)).await.expect("a store");
        assert_eq!(get(&store, &key("", "secret text")).await.as_deref(), Some("geheim"));
        // A row that is moved doesn't open.
        client.execute("update s0.records set key = $1", &[&key("", "other").to_bytes()]).await.expect("moved");
        let mut look = |_: Option<&Record>| panic!("it was moved");
        assert!(store.read(&key("", "other"), &mut look).await.is_err());
    });
}

/// As the reseal of a running broker does it.
#[test]
fn a_decision_reseals_a_record_with_the_newest_key() {
    test(async |database| {
        let (url, both) = (database.url(""), "02".repeat(31) + "ff " + &"01".repeat(31) + "ff");
        let both: Keys = both.parse().expect("two keys");
        let old = Postgres::connect(&url, keys(1)).await.expect("a store");
        put(&old, &key("", "a"), Some(("same", None))).await;
        let new = Postgres::connect(&url, both.clone()).await.expect("a store");
        new.transact(&[key("", "a")], &mut |_| ()).await.expect("it is resealed");
        assert_eq!(Postgres::reseal(&url, both, &mut |_| {}).await.expect("it was"), 0);
        let new = Postgres::connect(&url, keys(2)).await.expect("the older key is not needed any more");
        assert_eq!(get(&new, &key("", "a")).await.as_deref(), Some("same"));
    });
}

#[test]
fn records_are_copied_to_a_database_and_back() {
    test(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let file = Redb::open(path("old.redb"), keys(1)).expect("a file");
        let instance = |number| (key("tenant", &format!("i{number}")), suite::record("an instance", Some(number)));
        file.insert_all((0..600).map(instance).collect()).await.expect("they are stored");
        let bound = key("tenant", "i7").of_binding("b".into());
        put(&file, &bound, Some(("a binding", None))).await;
        let mut bury = |records: &mut [Option<Record>]| records[0] = Some(suite::tombstone("gone", 5));
        file.transact(&[key("", "dead")], &mut bury).await.expect("it is stored");

        let url = database.url("");
        let copied = Postgres::copy_from(&file, &url, keys(2), &mut |_| {}).await.expect("it is copied");
        assert_eq!(copied.to_string(), "600 instances, 1 binding and 1 tombstone");
        let refused = Postgres::copy_from(&file, &url, keys(2), &mut |_| {}).await.expect_err("not empty").to_string();
        assert!(refused.contains("has records already"), "{refused}");
        let there = Postgres::connect(&url, keys(2)).await.expect("a store");
        assert_eq!(there.due(Timestamp::MAX, None, 1000).await.expect("they can be read").len(), 600);
        assert_eq!(there.plan_usage().await.expect("counted"), file.plan_usage().await.expect("counted"));

        let back = Redb::copy_from(&there, path("new.redb"), None, &mut |_| {}).await.expect("it is copied");
        assert_eq!(back, copied);
        assert!(Redb::copy_from(&there, path("new.redb"), None, &mut |_| {}).await.is_err(), "it exists");
        let new = Redb::open(path("new.redb"), None).expect("a file");
        let texts = async |store: &dyn Store| {
            let all = store.list(None, 1000).await.expect("they can be read");
            all.iter().map(|(key, record)| (key.clone(), suite::text(record.as_ref().ok()))).collect::<Vec<_>>()
        };
        assert_eq!(texts(&new).await, texts(&file).await);

        let insert = async |names: &[&str]| {
            there.insert_all(names.iter().map(|name| (key("", name), suite::record(name, None))).collect()).await
        };
        insert(&["more"]).await.expect("it is inserted");
        let refused = insert(&["other", "more", "last"]).await;
        assert!(matches!(refused, Err(InsertError::Exists(taken)) if taken == key("", "more")));
        assert_eq!(get(&there, &key("", "other")).await, None);
    });
}

/// A broker that starts meanwhile would add records of its own, without those that are copied.
#[test]
fn no_other_session_writes_while_records_are_copied() {
    test(async |database| {
        let (url, target) = (database.url(""), database.url(""));
        let store = connect(&url).await;
        put(&store, &key("", "i"), Some(("an instance", None))).await;
        let mut refused = None;
        let mut write = |_| {
            let server = database.server.url();
            let insert = async move {
                let (client, connection) = tokio_postgres::connect(&server, NoTls).await.expect("a connection");
                let connection = tokio::spawn(connection);
                let insert = "set lock_timeout = '10ms'; insert into s1.records (key, record, is_binding) values ('', '', false)";
                let refused = client.batch_execute(insert).await.err().and_then(|error| error.code().cloned());
                drop(client);
                _ = connection.await;
                refused
            };
            refused = thread::spawn(move || runtime().block_on(insert)).join().expect("no panic");
        };
        Postgres::copy_from(&store, &target, None, &mut write).await.expect("it is copied");
        assert_eq!(refused, Some(SqlState::LOCK_NOT_AVAILABLE));
    });
}

#[test]
fn a_copy_that_fails_leaves_nothing() {
    test(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let url = database.url("");
        let store = Postgres::connect(&url, keys(1)).await.expect("a store");
        let instance = |number| (key("", &format!("i{number:03}")), suite::record("an instance", None));
        store.insert_all((0..300).map(instance).collect()).await.expect("they are stored");
        // One of the second page is damaged.
        let damaged = hex(&key("", "i299").to_bytes());
        database.execute(&format!("update s0.records set record = '\\x8100' where key = '\\x{damaged}'")).await;
        let target = database.url("");
        assert!(Postgres::copy_from(&store, &target, keys(1), &mut |_| {}).await.is_err());
        let target = Postgres::connect(&target, keys(1)).await.expect("a store");
        assert_eq!(target.list(None, 10).await.expect("they can be read").len(), 0);
        assert!(Redb::copy_from(&store, folder.path().join("new.redb"), None, &mut |_| {}).await.is_err());
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    });
}
