//! PgBouncer in transaction mode: any statement may run in another session than the one before.

use osb_throwaway_postgres::Pooler;

use super::*;

/// Returns the URL of a new schema behind a pooler.
fn behind(pooler: &Pooler, database: &Database) -> String {
    database.behind(pooler.port(), &database.url("&pooler=transaction"))
}

#[test]
fn a_store_behind_a_pooler_passes_the_suite() {
    let Some(database) = Database::start() else { return };
    let Some(pooler) = Pooler::start_or_skip(&database.server) else { return };
    suite::suite(|| Arc::new(open(&behind(&pooler, &database))));
}

#[test]
fn processes_behind_a_pooler_lose_no_update_of_each_other() {
    let Some(database) = Database::start() else { return };
    let Some(pooler) = Pooler::start_or_skip(&database.server) else { return };
    run(three_processes_increment_a_number(&behind(&pooler, &database)));
}

#[test]
fn replicas_that_start_together_behind_a_pooler_make_the_tables_once() {
    let Some(database) = Database::start() else { return };
    let Some(pooler) = Pooler::start_or_skip(&database.server) else { return };
    run(eight_replicas_start_together(&behind(&pooler, &database)));
}

#[test]
fn records_are_copied_and_sealed_behind_a_pooler() {
    let Some(database) = Database::start() else { return };
    let Some(pooler) = Pooler::start_or_skip(&database.server) else { return };
    run(async {
        let (from, to) = (behind(&pooler, &database), behind(&pooler, &database));
        let store = connect(&from).await;
        for number in 0..20 {
            put(&store, &key("", &format!("i{number}")), Some(("an instance", Some(number)))).await;
        }
        let copied = Postgres::copy_from(&store, &to, None, &mut |_| {}).await.expect("it is copied");
        assert_eq!(copied.to_string(), "20 instances, 0 bindings and 0 tombstones");
        assert_eq!(Postgres::reseal(&to, keys(1), &mut |_| {}).await.expect("sealed"), 20);
        let sealed = Postgres::connect(&to, keys(1)).await.expect("a store");
        let more = || vec![(key("", "more"), suite::record("inserted", None))];
        sealed.insert_all(more()).await.expect("it is inserted");
        assert!(sealed.insert_all(more()).await.is_err(), "it exists");
        assert_eq!(get(&sealed, &key("", "more")).await.as_deref(), Some("inserted"));
        assert_eq!(get(&sealed, &key("", "i7")).await.as_deref(), Some("an instance"));
    });
}

/// Two connections of one process get each other's sessions in turn. Between processes, the names of statements clash too.
#[test]
fn prepared_statements_behind_a_pooler_fail_with_the_remedy() {
    let Some(database) = Database::start() else { return };
    let Some(pooler) = Pooler::start_or_skip(&database.server) else { return };
    let url = database.behind(pooler.port(), &database.url(""));
    run(async {
        let error = loop {
            let store = match Postgres::connect(&url, None).await {
                Ok(store) => store,
                Err(error) => break error.to_string(),
            };
            let (one, two) = (key("", "one"), key("", "two"));
            let (one, two) = tokio::join!(add_one(&store, &one), add_one(&store, &two));
            if let Some(error) = one.and(two).err() {
                break error.to_string();
            }
        };
        assert!(error.contains("prepared statement") && error.contains("`pooler=transaction`"), "{error}");
    });
}
