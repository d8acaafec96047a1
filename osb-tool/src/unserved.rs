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

    use osb_client::{Call, Client};
    use osb_runtime::{
        http::{AcceptedCredentials, BrokerService, HttpSettings, Platforms},
        lifecycle::Settings,
        prelude::*,
        service::Service as _,
        store::{Key, Records, StoreError},
    };

    use super::{instance, unserved};

    #[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", description = "A store.", plans(Free))]
    struct Kv;

    #[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", description = "10 MB.")]
    struct Free;

    impl Provision<Free> for Kv {
        type State = ();
        async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation) -> Result<Provisioned, ProvisionError> {
            Ok(Provisioned::new(()))
        }
        async fn deprovision(&self, _: DeprovisionRequest<Free>, _: &Operation) -> Result<(), DeprovisionError> {
            Ok(())
        }
    }

    #[broker]
    struct Broker(Kv);

    /// Returns the names and the numbers of instances if only these platforms are served.
    async fn found(records: &Records, served: &[&str]) -> Vec<(String, u64)> {
        let served: BTreeSet<String> = served.iter().map(|name| (*name).to_owned()).collect();
        let found = unserved(records, &served).await.expect("the records can be read");
        found.into_iter().map(|(tenant, instances)| (tenant.as_str().to_owned(), instances)).collect()
    }

    #[test]
    fn an_instance_whose_record_cannot_be_read_counts() {
        let unreadable = |key: &Key| (key.clone(), Err(StoreError::new("a key that is not given")));
        let key = Key { tenant: "cf".parse().expect("a name"), instance: "one".into(), binding: None };
        assert_eq!(instance(&unreadable(&key)), Some(&key));
        assert_eq!(instance(&unreadable(&Key { binding: Some("b".into()), ..key })), None);
    }

    #[tokio::test]
    async fn instances_count_and_tombstones_do_not() {
        let basic = |user| AcceptedCredentials::basic(user, "secret").expect("they are valid");
        let platforms = Platforms::from(basic("root"));
        let platforms = platforms.and_behind("cf", "/cf", basic("cf")).expect("they are valid");
        let platforms = platforms.and_behind("cf-test", "/test", basic("test")).expect("they are valid");
        let mut settings = Settings::default();
        settings.store = Records::in_memory();
        let records = settings.store.clone();
        let service = BrokerService::start_with(Broker(Kv), platforms, HttpSettings::default(), settings);
        let service = service.await.expect("the broker starts");
        let send = async |user: &str, prefix: &str, call: Call| {
            let client = Client::over(service.clone()).prefix(prefix).basic(user, "secret");
            let answer = client.send(&call).await.expect("an answer");
            assert!(answer.status.is_success(), "{answer:?}");
        };
        let create = |id: &str| Call::provision(id, Kv::OFFERING.id, Free::SPEC.id);
        // More than a page, which is skipped if the platform is served.
        for i in 0..600 {
            send("cf", "/cf", create(&format!("i{i}"))).await;
        }
        send("root", "", create("one")).await;
        send("root", "", create("two")).await;
        send("root", "", Call::deprovision("two", Kv::OFFERING.id, Free::SPEC.id)).await;
        send("test", "/test", create("one")).await;

        let row = |name: &str, instances| (name.to_owned(), instances);
        assert_eq!(found(&records, &["", "cf", "cf-test"]).await, []);
        assert_eq!(found(&records, &["cf"]).await, [row("", 1), row("cf-test", 1)]);
        assert_eq!(found(&records, &["cf-test"]).await, [row("", 1), row("cf", 600)]);
    }
}
