//! Databases and logins as applications see them.

use std::sync::Arc;

use postgres_broker::{Broker, Databases};
use serde_json::json;
use tokio::task::JoinSet;

use crate::world::{World, bind, code, connect, patient, provision, rotate, run, session, succeeded, text, texts};

const TABLES: &str = "SELECT tablename || ' of ' || tableowner FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";

#[tokio::test]
async fn a_database_lives_from_provision_to_deprovision() {
    let Some(world) = World::start().await else { return };
    let (platform, admin) = (world.platform().await, world.admin().await);
    provision(&platform, "one", "small", json!({ "extensions": ["hstore", "citext"] })).await;
    let answer = platform.bind("one", "old", ()).await;
    succeeded(&answer);
    let given = &answer.body["credentials"];
    let [uri, database, username, password] =
        ["uri", "database", "username", "password"].map(|name| given[name].as_str().expect("a text").to_owned());
    let port = world.postgres.port();
    assert_eq!(given["type"], "postgresql", "a constant of `#[credentials]`");
    assert_eq!(uri, format!("postgresql://{username}:{password}@127.0.0.1:{port}/{database}"));
    assert_eq!(
        answer.body["endpoints"],
        json!([{ "host": "127.0.0.1", "ports": [port.to_string()], "protocol": "tcp" }])
    );

    let old = session(&uri).await;
    run(&old, "CREATE TABLE people (name citext); INSERT INTO people VALUES ('Ada')").await;
    assert_eq!(text(&old, "SELECT name FROM people WHERE name = 'ADA'").await, "Ada");
    // A table that belongs to the login itself, and objects in a database that is open to every role.
    run(&old, "SET ROLE NONE; CREATE TABLE own (); RESET ROLE").await;
    let elsewhere = session(&uri.replace(&format!("/{database}"), "/postgres")).await;
    run(&elsewhere, "SELECT lo_create(1); SET ROLE NONE; SELECT lo_create(2)").await;

    // Both logins of a rotation work, and have the same rights.
    let new_uri = rotate(&platform, "one", ["old", "new"]).await;
    let new = session(&new_uri).await;
    run(&new, "ALTER TABLE people ADD COLUMN year int; INSERT INTO people VALUES ('Grace', 1906)").await;
    assert_eq!(text(&old, "SELECT count(*) FROM people").await, "2");
    run(&session(&uri).await, "CREATE TABLE more ()").await;

    succeeded(&platform.unbind("one", "old").await);
    assert!(old.simple_query("SELECT 1").await.is_err(), "the sessions of the login have ended");
    assert_eq!(code(connect(&uri).await.map(|_| ())), "28P01", "the login has ended");
    let owned: Vec<String> = ["more", "own", "people"].map(|table| format!("{table} of {database}")).into();
    assert_eq!(texts(&new, TABLES).await, owned);
    run(&new, "DROP TABLE own; DROP TABLE more").await;

    let limit = format!("SELECT datconnlimit FROM pg_database WHERE datname = '{database}'");
    assert_eq!(text(&admin, &limit).await, "10");
    succeeded(&platform.change_plan("one", "large", ()).await);
    assert_eq!(text(&admin, &limit).await, "50");

    // A refused update changes nothing.
    let extensions = "SELECT extname FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY 1";
    let refused = platform.update("one", json!({ "extensions": ["uuid-ossp"] })).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    let reason = "PostgreSQL refuses the change: cannot drop extension citext because other objects depend on it.";
    assert_eq!(refused.body["description"], reason);
    assert_eq!(texts(&new, extensions).await, ["citext", "hstore"]);
    run(&new, "ALTER TABLE people ALTER name TYPE text").await;
    succeeded(&platform.update("one", json!({ "extensions": ["uuid-ossp", "pg_trgm"] })).await);
    assert_eq!(texts(&new, extensions).await, ["pg_trgm", "uuid-ossp"]);
    assert_eq!(text(&new, "SELECT length(uuid_generate_v4()::text)").await, "36");

    // The sessions of logins end with their bindings, but an administrator may be connected as well.
    let administrator = session(&world.url.replace("/postgres", &format!("/{database}"))).await;
    succeeded(&platform.deprovision("one").await);
    for session in [new, administrator] {
        assert!(session.simple_query("SELECT 1").await.is_err(), "open connections don't keep a database");
    }
    assert!(world.created().await.is_empty(), "{:?}", world.created().await);
}

#[tokio::test]
async fn bindings_can_be_created_and_deleted_at_the_same_time() {
    let Some(world) = World::start().await else { return };
    let platform = Arc::new(world.platform().await);
    provision(&platform, "one", "small", json!({})).await;
    let mut binds = JoinSet::new();
    for number in 0..8 {
        let platform = Arc::clone(&platform);
        binds.spawn(async move { bind(&platform, "one", &number.to_string()).await });
    }
    for uri in binds.join_all().await {
        run(
            &session(&uri).await,
            &format!("SET ROLE NONE; CREATE TABLE {} ()", uri.split([':', '/']).nth(3).expect("a name")),
        )
        .await;
    }
    // Unbinds the bindings at the same time.
    succeeded(&platform.deprovision("one").await);
    assert!(world.created().await.is_empty(), "{:?}", world.created().await);
}

#[tokio::test]
async fn an_ipv6_address_is_in_brackets_in_the_uri() {
    let Some(world) = World::start().await else { return };
    let platform = patient(Broker(Databases::new(world.server().await, "::1", 5432))).await;
    provision(&platform, "one", "small", json!({})).await;
    let uri = bind(&platform, "one", "b").await;
    assert!(uri.contains("@[::1]:5432/"), "{uri}");
}

#[tokio::test]
async fn a_login_reaches_only_its_own_database() {
    let Some(world) = World::start().await else { return };
    let platform = world.platform().await;
    for instance in ["one", "two"] {
        provision(&platform, instance, "small", json!({})).await;
    }
    let (one, two) = (bind(&platform, "one", "b").await, bind(&platform, "two", "b").await);
    let (mine, other) = (one.rsplit_once('/').expect("a path"), two.rsplit_once('/').expect("a path"));
    assert_eq!(code(connect(&format!("{}/{}", mine.0, other.1)).await.map(|_| ())), "42501");
    let session = session(&one).await;
    for forbidden in [
        "ALTER DATABASE $ CONNECTION LIMIT 1000",
        "DROP DATABASE $",
        "COMMENT ON DATABASE $ IS 'large'",
        "CREATE ROLE friend",
        "SET ROLE broker",
        "SELECT pg_read_file('/etc/passwd')",
    ] {
        let result = session.batch_execute(&forbidden.replace('$', other.1)).await;
        assert_eq!(code(result), "42501", "{forbidden}");
        let result = session.batch_execute(&forbidden.replace('$', mine.1)).await;
        // PostgreSQL notices first that the database to drop is the current one.
        assert!(["42501", "55006"].contains(&code(result).as_str()), "{forbidden}");
    }
}

#[tokio::test]
async fn an_unbind_gets_a_connection_when_applications_use_all() {
    let Some(world) = World::start().await else { return };
    let (platform, admin) = (world.platform().await, world.admin().await);
    provision(&platform, "one", "small", json!({})).await;
    let (one, _) = (bind(&platform, "one", "a").await, bind(&platform, "one", "b").await);
    let mut sessions = Vec::new();
    for _ in 0..10 {
        sessions.push(session(&one).await);
    }
    assert_eq!(code(connect(&one).await.map(|_| ())), "53300", "that is the plan's limit");
    succeeded(&platform.unbind("one", "b").await);
    let limits = "SELECT datconnlimit FROM pg_database WHERE datname ~ '^osb_'";
    assert_eq!(texts(&admin, limits).await, ["10"], "the limit is in force again");
    assert_eq!(text(&sessions[9], "SELECT 1").await, "1");
}

#[tokio::test]
async fn a_database_beyond_its_size_is_read_only_until_it_fits() {
    let Some(world) = World::start().await else { return };
    let (platform, server) = (world.platform().await, world.server().await);
    provision(&platform, "one", "small", json!({})).await;
    let uri = bind(&platform, "one", "b").await;
    let filled = "CREATE TABLE numbers AS SELECT * FROM generate_series(1, 3000000)";
    run(&session(&uri).await, filled).await;
    server.enforce_sizes().await.expect("the server answers");
    let write = "CREATE TABLE more ()";
    assert_eq!(code(session(&uri).await.batch_execute(write).await), "25006", "read-only");
    // The broker isn't stopped by that.
    succeeded(&platform.update("one", json!({ "extensions": ["citext"] })).await);
    succeeded(&platform.unbind("one", "b").await);
    let uri = bind(&platform, "one", "c").await;

    succeeded(&platform.change_plan("one", "large", ()).await);
    server.enforce_sizes().await.expect("the server answers");
    run(&session(&uri).await, write).await;
    let refused = platform.change_plan("one", "small", ()).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(refused.body["description"], "The database has more than 100 MB: delete data first.");

    run(&session(&uri).await, "DROP TABLE numbers").await;
    succeeded(&platform.change_plan("one", "small", ()).await);
    server.enforce_sizes().await.expect("the server answers");
    run(&session(&uri).await, "DROP TABLE more").await;
}
