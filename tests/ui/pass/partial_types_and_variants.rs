//! Partial types, and the fields of variants, have what the author wrote: names, visibility, derives and deprecation.

#![deny(warnings)]

use osb_runtime::{
    prelude::*,
    schema::{Parameters, decode},
};
use serde_json::{Value, json};

pub mod store {
    use osb_runtime::prelude::*;

    /// The parameters of a new store.
    #[parameters(partial = StoreChanges, open)]
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NewStore {
        /// Seconds.
        #[param(range(min = 1))]
        #[param(default = 60, alias = "expiry")]
        pub ttl: u32,
        /// The name.
        pub name: Option<String>,
        /// Not used any more.
        #[deprecated]
        pub zone: Option<String>,
        /// Where it is.
        pub place: Option<Place>,
    }

    /// A place.
    #[parameters(tag = "kind")]
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum Place {
        /// In a region.
        Cloud {
            /// The region.
            #[param(alias = "location")]
            region: Option<Region>,
            /// The number of the rack.
            rack: Option<u8>,
            /// The number of copies.
            #[param(default = 2)]
            copies: u8,
        },
    }

    /// A region.
    #[parameters(rename_all = "lowercase")]
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum Region {
        /// Frankfurt.
        Eu,
        /// Virginia.
        r#Us,
        /// Not compiled.
        #[cfg(target_os = "none")]
        Moon,
    }
}

use store::{NewStore, Place, Region, StoreChanges};

fn compares<T: Eq>() {}

pub(super) fn main() {
    assert_eq!((Region::Eu.as_str(), Region::r#Us.as_str()), ("eu", "us"));
    compares::<StoreChanges>();

    let schema: Value = serde_json::from_slice(StoreChanges::JSON).expect("JSON");
    assert_eq!(schema.get("additionalProperties"), None, "{schema:#}");
    let changes: StoreChanges = decode(&json!({ "expiry": 7, "other": true })).expect("an alias, and another property");
    assert_eq!((&changes.ttl, &changes.name), (&Change::To(7), &Change::Keep));
    #[expect(deprecated)]
    let zone = &changes.zone;
    assert_eq!(*zone, Change::Keep);
    let written = serde_json::to_value(&changes).expect("JSON");
    assert_eq!(written, json!({ "ttl": 7 }));

    let new: NewStore = decode(&json!({ "place": { "kind": "Cloud", "location": "us" } })).expect("an alias");
    assert_eq!(new.place, Some(Place::Cloud { region: Some(Region::r#Us), rack: None, copies: 2 }));
    let same = serde_json::from_value(json!({ "place": { "kind": "Cloud", "location": "us" } }));
    assert_eq!(same.ok(), Some(new.clone()), "serde alone knows the alias, too");
    let written = serde_json::to_value(&new).expect("JSON");
    assert_eq!(
        written,
        json!({ "ttl": 60, "place": { "kind": "Cloud", "region": "us", "copies": 2 } }),
        "nothing is `null`"
    );
    let new: NewStore = decode(&json!({ "place": { "kind": "Cloud" } })).expect("what is optional can be absent");
    assert_eq!(new.place, Some(Place::Cloud { region: None, rack: None, copies: 2 }));
    assert!(decode::<NewStore>(&json!({ "ttl": 0 })).is_err(), "both `#[param]` count");
}
