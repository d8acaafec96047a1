//! The start: the tables that a store finds or makes, and the rights of its user.

use super::*;

#[test]
fn replicas_that_start_together_make_the_tables_once() {
    let Some(database) = Database::start() else { return };
    run(eight_replicas_start_together(&database.url("")));
}

#[test]
fn the_tables_of_a_newer_release_are_refused() {
    test(async |database| {
        let url = database.url("");
        drop(connect(&url).await);
        database.execute("insert into s0.migrations (version) values (1000)").await;
        // The user of a broker may have no right to create tables.
        for url in [database.limited(&url, "select").await, url] {
            let refused = Postgres::connect(&url, None).await.expect_err("it is newer").to_string();
            assert!(refused.contains("1000") && refused.contains("newer release"), "{refused}");
        }
    });
}

/// Both replicas found no tables, and the one of the newer release comes first.
#[test]
fn the_tables_that_a_newer_release_makes_meanwhile_are_refused() {
    test(async |database| {
        let newer = database.session().await;
        let lock = "begin; select pg_advisory_xact_lock(hashtextextended('osb:s0', 0))";
        newer.batch_execute(lock).await.expect("it is locked");
        let url = database.url("");
        let makes = async {
            until(async || database.count("wait_event = 'advisory'").await > 0).await;
            let tables = "create schema s0; create table s0.migrations (version integer, applied_at timestamptz); \
                          insert into s0.migrations values (1000, now()); commit";
            newer.batch_execute(tables).await.expect("they are made");
        };
        let refused = tokio::join!(Postgres::connect(&url, None), makes).0.expect_err("they are newer").to_string();
        assert!(refused.contains("1000") && refused.contains("newer release"), "{refused}");
    });
}

#[test]
fn the_location_is_the_schema_the_database_and_all_hosts() {
    test(async |database| {
        let url = database.url("&target_session_attrs=read-write").replace("@127.0.0.1", "@localhost,127.0.0.1");
        let url = url.replace("localhost,", &format!("localhost:{},", database.server.port()));
        let store = connect(&url).await;
        let (at, port) = (store.location(), database.server.port());
        assert_eq!(at, format!("schema s0 of database postgres at localhost:{port}, 127.0.0.1:{port}"));
        // One port is that of all hosts.
        let url = url.replace(&format!("localhost:{port},127.0.0.1:{port}/postgres?"), "/postgres?");
        let url = format!("{url}&host=localhost&host=127.0.0.1&port={port}");
        let store = Postgres::connect_existing(&url, None).await.expect("a store");
        assert_eq!(store.location(), at);
    });
}

/// A misspelt name must not create the tables of another broker.
#[test]
fn tables_that_must_exist_are_not_created() {
    test(async |database| {
        for _ in 0..2 {
            let url = format!("{}?schema=misspelt", database.server.url());
            let refused = Postgres::connect_existing(&url, None).await.expect_err("there are none").to_string();
            assert!(refused.contains("no records in schema \"misspelt\""), "{refused}");
        }
    });
}

/// A user that may only use a schema which an administrator has made for it.
#[test]
fn the_user_needs_no_right_to_create_schemas() {
    test(async |database| {
        database.execute("create role plain login password 'plain'; create schema s0 authorization plain").await;
        let (_, host) =
            database.server.url().split_once('@').map(|(a, b)| (a.to_owned(), b.to_owned())).expect("a host");
        let url = format!("postgres://plain:plain@{host}?schema=s0");
        for _ in 0..2 {
            let store = connect(&url).await;
            add_one(&store, &key("", "a")).await.expect("it is stored");
        }
        let refused = Postgres::connect(&url.replace("s0", "s1"), None).await.expect_err("it may not").to_string();
        assert!(
            refused.contains("permission denied for database postgres: run `create schema \"s1\" authorization"),
            "{refused}"
        );
    });
}

/// Such a replica would be ready, and a rolling upgrade would replace those that work.
#[test]
fn a_user_who_may_not_write_is_refused_with_the_grant_that_is_missing() {
    test(async |database| {
        let url = database.url("");
        drop(connect(&url).await);
        let limited = "create role \"read\"\"er\" login password 'limited'; grant usage on schema s0 to \"read\"\"er\"; \
                       grant select, delete on all tables in schema s0 to \"read\"\"er\"";
        database.execute(limited).await;
        let at = url.find('@').expect("the URL has a user");
        let limited = format!("postgres://read%22er:limited{}", &url[at..]);
        let refused = Postgres::connect(&limited, None).await.expect_err("it can't write").to_string();
        assert!(
            refused.contains(r#"user "read\"er" of the database has no privilege to insert, update records"#),
            "{refused}"
        );
        let (_, grant) = refused.split_once('`').expect("the remedy");
        // The commands that only read records work.
        drop(Postgres::connect_existing(&limited, None).await.expect("a store"));
        database.execute(grant.trim_end_matches('`')).await;
        drop(connect(&limited).await);
    });
}

/// A platform would take an instance that is hidden for one that doesn't exist.
#[test]
fn policies_that_hide_records_are_an_error() {
    test(async |database| {
        let url = database.url("");
        drop(connect(&url).await);
        let limited = database.limited(&url, "select, insert, update, delete").await;
        let store = connect(&limited).await;
        put(&store, &key("", "a"), Some(("made", None))).await;
        database.execute("alter table s0.records enable row level security").await;
        let error = store.read(&key("", "a"), &mut |_| ()).await.expect_err("it is hidden").to_string();
        assert!(!error.contains("pooler"), "{error}");
        assert!(error.contains("row-level security"), "{error}");
        assert!(Postgres::connect_existing(&limited, None).await.is_err());
        let refused = Postgres::connect(&limited, None).await.expect_err("records are hidden").to_string();
        assert!(refused.contains("can hide records from the user \"limited\""), "{refused}");
        let (_, remedy) = refused.split_once('`').expect("the remedy");
        database.execute(remedy.trim_end_matches('`')).await;
        let store = connect(&limited).await;
        assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("made"));
    });
}
