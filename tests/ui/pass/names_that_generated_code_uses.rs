//! Constants, fields and variants of the author's keep their meaning beside the names of generated code.
#![deny(warnings)]

use osb_runtime::{parameters, schema::Parameters};

const TEXT: &str = "eu";
const QUOTED: &str = "us";

/// A variant has the number that its author gives it.
#[parameters]
#[derive(Debug, Clone, Copy)]
pub enum Tier {
    Small = 1,
    Large = 10,
}

#[parameters]
#[derive(Debug)]
pub struct New {
    #[param(default = TEXT)]
    pub region: String,
    #[param(default = QUOTED)]
    pub backup: String,
    pub tier: Tier,
    #[param(secret)]
    pub f: String,
}

#[parameters(tag = "kind")]
#[derive(Debug)]
pub enum Output {
    File {
        out: String,
        f: u32,
        #[param(secret)]
        key: String,
    },
}

pub(super) fn main() {
    let schema = std::str::from_utf8(<New as Parameters>::JSON).unwrap();
    assert!(schema.contains(r#""default":"eu""#) && schema.contains(r#""default":"us""#), "{schema}");
    let new: New = osb_runtime::schema::decode(&serde_json::json!({ "tier": "Large", "f": "x" })).unwrap();
    assert_eq!((new.tier as u32, Tier::Small as u32), (10, 1));
    assert!(format!("{new:?}").contains(r#"region: "eu""#));
    let file: Output =
        osb_runtime::schema::decode(&serde_json::json!({ "kind": "File", "out": "o", "f": 1, "key": "k" })).unwrap();
    assert_eq!(format!("{file:?}"), r#"File { out: "o", f: 1, key: [secret] }"#);
}
