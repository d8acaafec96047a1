//! A broker whose program has another file name than before: its records are in the schema with the old name.

use osb_store::Postgres;
use osb_throwaway_postgres::Server;

use crate::logged;

#[tokio::test]
async fn the_first_start_with_a_new_schema_names_the_schemas_that_have_records() {
    const WARNING: &str = "if this broker has been renamed";
    logged::begin();
    let Some(server) = Server::start_or_skip() else { return };
    let start = async |schema: &str| {
        let url = format!("{}?schema={schema}", server.url());
        Postgres::connect(&url, None).await.expect("a store");
    };
    start("kv-1").await;
    start("kv-1").await;
    assert!(!logged::text().contains(WARNING), "it is the only one");
    start("kv-2").await;
    let log = logged::text();
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains(WARNING)).collect();
    assert!(matches!(warnings[..], [one] if one.contains("kv-1") && one.contains("WARN")), "{warnings:?}");
    start("kv-2").await;
    assert_eq!(logged::text().matches(WARNING).count(), 1, "{}", logged::text());
}
