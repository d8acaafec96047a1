//! Starts while another session locks the tables.

use super::*;

/// As during `vacuum full`, or while another session that changes the tables hangs.
#[test]
fn tables_that_stay_locked_are_given_up_at_the_start() {
    test(async |database| {
        let start = async |table: &str| {
            let url = database.url("");
            drop(connect(&url).await);
            let schema = url.split("schema=").nth(1).and_then(|rest| rest.split('&').next()).expect("a schema");
            let client = database.session().await;
            client.batch_execute(&format!("begin; lock table {schema}.{table}")).await.expect("it is locked");
            let started = tokio::time::timeout(url::STATEMENT_TIMEOUT * 2, Postgres::connect(&url, None)).await;
            started.expect("in time").expect_err("it is locked").to_string()
        };
        let (migrations, records) = tokio::join!(start("migrations"), start("records"));
        assert!(migrations.contains("didn't answer in 10 s"), "{migrations}");
        assert!(records.contains("lock timeout"), "{records}");
    });
}
