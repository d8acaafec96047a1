//! Generated code is quiet under lints that its surroundings may deny.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unused_qualifications,
    unreachable_pub,
    unused_results,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unused_lifetimes,
    elided_lifetimes_in_paths,
    missing_copy_implementations
)]
#![forbid(unsafe_code)]

use osb_runtime::prelude::*;

/// The most.
const MOST: u32 = 86_400;
const NAME: &str = "a \"name\"\n";
const ON: bool = true;

/// The parameters of a new instance.
#[parameters(partial = Changes, rename_all = "camelCase")]
#[derive(Debug, Clone, PartialEq)]
pub struct New {
    /// Seconds.
    #[param(range(min = 1, max = MOST), default = MOST)]
    pub time_to_live: u32,
    /// A name.
    #[param(default = NAME, pattern = "(?:a|b)", length(max = 99))]
    pub name: String,
    /// On.
    #[param(default = ON)]
    pub on: Option<bool>,
    /// A raw name.
    pub r#type: Option<Kind>,
    /// An absent value.
    #[cfg(any())]
    #[param(range(min = 1), default = 5)]
    pub gone: NoSuchType,
    /// A share.
    #[param(default = 1, range(min = -0.5, exclusive_max = 1e3))]
    pub share: f32,
    /// A letter.
    #[param(default = "x")]
    pub letter: char,
    /// A password.
    #[param(secret, items(length(min = 1)))]
    pub passwords: Vec<String>,
    /// An old name.
    #[deprecated = "`name` has the name"]
    #[param(default = "x")]
    pub old_name: String,
    /// An object.
    #[param(default = { "left": 1, "right": [true, null] }, examples({ "a": -1.5 }, {}))]
    pub any: Option<std::collections::BTreeMap<String, osb_runtime::__private::Value>>,
}

/// A kind.
#[parameters(tag = "kind", rename_all_fields = "kebab-case")]
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// One.
    One,
    /// Two.
    Two {
        /// A port.
        #[param(default = 8080)]
        the_port: Port,
        /// A secret.
        #[param(secret)]
        key: Option<String>,
        /// An absent value.
        #[cfg(any())]
        gone: NoSuchType,
    },
    /// An old one.
    #[deprecated]
    Old {
        /// A secret.
        #[deprecated]
        #[param(secret)]
        key: String,
    },
    /// None.
    #[cfg(any())]
    Gone {
        /// An absent value.
        #[param(default = 1, range(max = 3))]
        gone: NoSuchType,
    },
}

/// A speed.
#[parameters]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// Slow.
    #[deprecated]
    Slow,
    /// Fast.
    Fast,
}

/// Former parameters.
#[deprecated]
#[parameters(partial = FormerChanges)]
#[derive(Debug)]
pub struct Former {
    /// A secret.
    #[param(secret)]
    pub key: Option<String>,
}

/// A port.
#[parameters(title = "Port")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Port(#[param(range(min = 1024), multiple_of = 2)] pub u16);

/// An access.
#[credentials]
pub struct Access {
    /// Where.
    #[param(public)]
    pub uri: String,
    /// With what.
    pub token: Option<String>,
}

pub(super) fn main() {
    #[parameters]
    struct Local {
        #[param(range(max = 5))]
        size: u8,
    }
    assert!(osb_runtime::schema::decode::<Local>(&Default::default()).is_err());
    let new: New =
        osb_runtime::schema::decode(&osb_runtime::__private::Value::from_iter([("passwords", vec!["a"])])).unwrap();
    assert!(format!("{new:?}").contains("passwords: [secret]") && new.name == NAME && new.on == Some(true));
    assert!(new.any.is_some_and(|any| any.len() == 2));
    assert_eq!(Local { size: 1 }.size, 1);
    assert_eq!(Speed::Fast.as_str(), "Fast");
    let access = Access { uri: String::new(), token: Some("x".to_owned()) };
    assert_eq!(format!("{access:?}"), "Access { uri: \"\", token: [secret] }");
}
