//! A release that returns, or still runs, and knows a parameter only by its earlier name.

use osb_runtime::{lifecycle::Settings, store::Records};
use osb_testing::Client;
use serde_json::json;

/// Defines a release whose parameter has this name, and earlier ones.
macro_rules! release {
    ($release:ident, $field:ident, $default:literal $(, $alias:literal)?) => {
        mod $release {
            use osb_runtime::prelude::*;

            #[service(
                id = "6c2f3a70-8a4e-4f0b-9d3c-51b7e0a4c611",
                name = "disk",
                description = "Disks.",
                plans(Basic)
            )]
            pub(super) struct Disks;
            #[plan(
                id = "6c2f3a70-8a4e-4f0b-9d3c-51b7e0a4c612",
                name = "basic",
                description = "A disk.",
                create = NewDisk,
                update = DiskChanges,
                bind = NewKey
            )]
            pub(super) struct Basic;
            /// A new disk.
            #[parameters(partial = DiskChanges)]
            pub(super) struct NewDisk {
                /// Size in GB.
                #[param(range(min = 1, max = 100), default = $default $(, alias = $alias)?)]
                pub(super) $field: u32,
            }
            /// A new key.
            #[parameters]
            pub(super) struct NewKey {}
            /// The size that the handler saw.
            #[credentials]
            pub(super) struct Seen {
                /// The size.
                size: u32,
            }

            osb_lab::provision_nothing!(Disks);
            osb_lab::update_nothing!(Disks: Basic);
            osb_lab::bind_nothing! {
                Disks: Basic => Credentials<Seen> = |new| Credentials(Seen { size: new.instance_parameters.$field });
            }
            #[broker]
            pub(super) struct Broker(pub(super) Disks);
        }
    };
}

release!(first, size, 10);
release!(second, gigabytes, 10, "size");

#[tokio::test]
async fn a_value_that_a_release_has_set_by_the_earlier_name_is_not_lost() {
    let mut settings = Settings::default();
    settings.store = Records::in_memory();
    let old = Client::with(first::Broker(first::Disks), settings.clone()).await;
    let new = Client::with(second::Broker(second::Disks), settings).await;
    let parameters = async || new.fetch_instance("i").await.body["parameters"].clone();
    assert_eq!(new.provision("i", "disk", "basic", json!({ "gigabytes": 33 })).await.status, 201);
    assert_eq!(old.update("i", json!({ "size": 5 })).await.status, 200);
    assert_eq!(parameters().await, json!({ "gigabytes": 5 }), "GETI-07");
    let bound = new.bind("i", "b", json!({})).await;
    assert_eq!(bound.body["credentials"]["size"], json!(5), "{bound:?}");
    let both = new.update("i", json!({ "gigabytes": 7, "size": 8 })).await;
    assert_eq!(both.status, 400, "a request has no order");
    assert_eq!(new.update("i", json!({ "gigabytes": 7 })).await.status, 200);
    assert_eq!(parameters().await, json!({ "gigabytes": 7 }));
    let bound = new.bind("i", "c", json!({})).await;
    assert_eq!(bound.body["credentials"]["size"], json!(7), "{bound:?}");
    assert_eq!(new.deprovision("i").await.status, 200);
}
