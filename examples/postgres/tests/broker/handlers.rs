//! Handlers that are repeated, interrupted, overtaken, and given hostile text.

use std::{sync::Arc, time::Duration};

use osb_runtime::lifecycle::Settings;
use osb_testing::{Client as Platform, Replay};
use serde_json::json;

use crate::world::{World, bind, connect, created, provision, run, session, succeeded, text, texts};

#[tokio::test]
async fn handlers_of_instances_are_idempotent() {
    let Some(replay) = replay().await else { return };
    replay.handler("provision").handler("update").handler("change_plan").handler("deprovision").run().await;
}

#[tokio::test]
async fn handlers_of_bindings_are_idempotent() {
    let Some(replay) = replay().await else { return };
    replay.handler("bind").handler("unbind").run().await;
}

/// A replay with a server of its own.
async fn replay() -> Option<Replay> {
    let world = World::start().await.map(Arc::new)?;
    let admin = world.admin().await;
    let make = move || {
        let world = Arc::clone(&world);
        async move { world.broker().await }
    };
    let replay = Replay::of(make).plan("postgresql", "small").left(async move || created(&admin).await);
    Some(replay.parameters(json!({ "extensions": ["citext"] })).update(json!({ "extensions": ["uuid-ossp"] })))
}

/// Text that would break out of a quoted identifier or of a literal, or that looks like a placeholder.
const HOSTILE: [&str; 7] = [
    "'; DROP DATABASE postgres; --",
    "\"; DROP ROLE broker; --",
    "\\'; SELECT 1; --",
    "$1 $2 $3 {} %s",
    "x\n\t\u{7f}",
    "na\u{ef}ve \u{1f418} \u{202e}",
    "$$; COMMIT; $$",
];

#[tokio::test]
async fn hostile_text_changes_no_statement() {
    let Some(world) = World::start().await else { return };
    let (platform, admin) = (world.platform().await, world.admin().await);
    let comments = "SELECT description FROM pg_shdescription JOIN pg_database ON oid = objoid WHERE datname ~ '^osb_'";
    for hostile in HOSTILE {
        provision(&platform, hostile, "small", json!({ "extensions": ["citext"] })).await;
        let comment = text(&admin, comments).await;
        assert_eq!(comment, format!("100 MB, instance {hostile}"));
        let app = session(&bind(&platform, hostile, hostile).await).await;
        assert_eq!(text(&app, "SELECT 1").await, "1");
        assert!(world.created().await.iter().all(|name| is_name(name)));
        succeeded(&platform.unbind(hostile, hostile).await);
        let refused = platform.update(hostile, json!({ "extensions": [hostile] })).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        let refused = platform.provision("other", "postgresql", "small", json!({ "extensions": [hostile] })).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        succeeded(&platform.deprovision(hostile).await);
        assert!(world.created().await.is_empty());
    }
}

fn is_name(name: &str) -> bool {
    name.strip_prefix("osb_").is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[tokio::test]
async fn an_attempt_ends_the_sessions_of_earlier_ones() {
    let Some(world) = World::start().await else { return };
    let platform = world.platform().await;
    provision(&platform, "one", "small", json!({})).await;
    let [database, _] = &world.created().await[..] else { panic!("a database and its role") };
    // As a stalled process would leave it: in the middle of a change that locks the extension.
    let stalled =
        session(&format!("{}?application_name={database}", world.url.replace("/postgres", &format!("/{database}"))))
            .await;
    run(&stalled, "BEGIN; CREATE EXTENSION hstore SCHEMA public").await;
    succeeded(&platform.update("one", json!({ "extensions": ["citext", "hstore"] })).await);
    assert!(stalled.batch_execute("COMMIT").await.is_err(), "it can't continue");
}

#[tokio::test]
async fn an_operation_continues_when_the_server_is_back() {
    let Some(mut world) = World::start().await else { return };
    let mut settings = Settings::default();
    settings.sync_wait = Duration::ZERO;
    settings.retry.initial_delay = Duration::from_millis(10);
    let platform = Platform::with(world.broker().await, settings).await;
    world.postgres.stop();
    let answer = platform.provision("one", "postgresql", "small", json!({})).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    world.postgres.restart();
    assert_eq!(platform.follow("one", None).await.body["state"], "succeeded");
}

#[tokio::test]
async fn passwords_are_in_no_log_of_the_server() {
    let Some(world) = World::start().await else { return };
    let (platform, admin) = (world.platform().await, world.admin().await);
    run(&admin, "ALTER SYSTEM SET log_statement = 'all'").await;
    run(&admin, "SELECT pg_reload_conf()").await;
    provision(&platform, "one", "small", json!({})).await;
    let uri = bind(&platform, "one", "b").await;
    let password = uri.split([':', '@']).nth(2).expect("a password");
    let log = "SELECT pg_read_file(current_setting('unix_socket_directories') || '/log')";
    let log = texts(&admin, log).await.concat();
    assert!(log.contains("LOGIN PASSWORD  E'SCRAM-SHA-256$4096:"), "{log}");
    assert!(!log.contains(password), "{log}");
    assert!(connect(&uri).await.is_ok());
}
