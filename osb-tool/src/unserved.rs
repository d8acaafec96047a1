//! A warning about instances of platforms that the broker does not serve: after a platform was given another name or a prefix, no
//! request reaches its earlier instances, and their deletions are answered 410.

use std::collections::{BTreeMap, BTreeSet};

use osb_runtime::{
    protocol::Tenant,
    store::{Key, Pages, Record, Records, StoreError},
};

/// Logs a warning for each platform that has instances in the records and is not among the `served` names. The platform without
/// a prefix has an empty name.
pub(super) async fn warn(records: Records, served: BTreeSet<String>) {
    // If the records can't be read, every request reports it.
    for (tenant, instances) in unserved(&records, &served).await.unwrap_or_default() {
        match tenant.as_str() {
            "" => tracing::warn!(
                instances,
                "the records have instances of the platform without a prefix, which is not served, so no request reaches them; \
                 set its credentials (OSB_CREDENTIALS)"
            ),
            platform => tracing::warn!(
                platform,
                instances,
                "the records have instances of a platform that is not served, so no request reaches them; add it with --platform \
                 NAME=/PREFIX"
            ),
        }
    }
}

/// A record, or the reason why it can't be read.
type Listed = (Key, Result<Record, StoreError>);

/// Returns the number of instances of each platform that is not served.
async fn unserved(records: &Records, served: &BTreeSet<String>) -> Result<BTreeMap<Tenant, u64>, StoreError> {
    let mut found = BTreeMap::new();
    let mut pages = Pages::of(records.store());
    while let Some(page) = pages.next_each().await? {
        for key in page.iter().filter_map(instance).filter(|key| !served.contains(key.tenant.as_str())) {
            *found.entry(key.tenant.clone()).or_default() += 1;
        }
        // Most records are those of platforms that are served: one page of each is enough.
        if let Some((key, _)) = page.last().filter(|(key, _)| served.contains(key.tenant.as_str())) {
            let end = Key { tenant: key.tenant.clone(), instance: char::MAX.to_string().into(), binding: None };
            if *key < end {
                pages = Pages::after(records.store(), end);
            }
        }
    }
    Ok(found)
}

/// Returns the key of an instance that exists. One whose record can't be read may.
fn instance((key, record): &Listed) -> Option<&Key> {
    let is_deleted = record.as_ref().is_ok_and(|record| record.forget_at().is_some());
    (key.binding.is_none() && !is_deleted).then_some(key)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use osb_runtime::store::{Key, Record, Records, StoreError};
    use osb_testing::store::{key, put, tombstone};

    use super::{instance, unserved};

    /// Returns the names and the numbers of instances if only these platforms are served.
    async fn found(records: &Records, served: &[&str]) -> Vec<(String, u64)> {
        let served: BTreeSet<String> = served.iter().map(|name| (*name).to_owned()).collect();
        let found = unserved(records, &served).await.expect("the records can be read");
        found.into_iter().map(|(tenant, instances)| (tenant.as_str().to_owned(), instances)).collect()
    }

    #[test]
    fn an_instance_whose_record_cannot_be_read_counts() {
        let unreadable = |key: &Key| (key.clone(), Err(StoreError::new("a key that is not given")));
        let key = key("cf", "one");
        assert_eq!(instance(&unreadable(&key)), Some(&key));
        assert_eq!(instance(&unreadable(&Key { binding: Some("b".into()), ..key })), None);
    }

    #[tokio::test]
    async fn instances_count_and_tombstones_do_not() {
        let records = Records::in_memory();
        let made = async |tenant: &str, id: &str| put(records.store(), &key(tenant, id), Some(("made", None))).await;
        // More than a page, which is skipped if the platform is served.
        for i in 0..600 {
            made("cf", &format!("i{i}")).await;
        }
        made("", "one").await;
        made("cf-test", "one").await;
        let mut bury = |found: &mut [Option<Record>]| found[0] = Some(tombstone("gone", 1));
        records.store().transact(&[key("", "two")], &mut bury).await.expect("it is stored");

        let row = |name: &str, instances| (name.to_owned(), instances);
        assert_eq!(found(&records, &["", "cf", "cf-test"]).await, []);
        assert_eq!(found(&records, &["cf"]).await, [row("", 1), row("cf-test", 1)]);
        assert_eq!(found(&records, &["cf-test"]).await, [row("", 1), row("cf", 600)]);
    }
}
