//! `Debug` shows the parameters that aren't secret, and of credentials those that are public.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(partial = StoreChanges)]
#[derive(Debug, Clone)]
pub struct NewStore {
    /// The name.
    pub name: String,
    /// The password.
    #[param(secret)]
    pub password: Option<String>,
}

/// Parameters that don't ask for `Debug`.
#[parameters]
pub struct Hidden {
    /// The name.
    pub name: String,
    /// The password.
    #[param(secret)]
    pub password: String,
}

/// Parameters one of which is called like a keyword.
#[parameters]
#[derive(Debug)]
pub struct Keyword {
    /// The kind.
    pub r#type: u8,
    /// The password.
    #[param(secret)]
    pub password: String,
}

/// A password.
#[parameters]
#[derive(Debug)]
pub struct Password(#[param(secret)] String);

/// The way to log in.
#[parameters(tag = "kind")]
#[derive(Debug)]
pub enum Login {
    /// With a key.
    Key {
        /// Its number.
        id: u32,
        /// The key.
        #[param(secret)]
        key: String,
    },
    /// Without anything.
    Anonymous,
}

/// The access to a store.
#[credentials]
pub struct Access {
    /// The host.
    #[param(public)]
    pub host: String,
    /// The password.
    pub password: String,
}

pub(super) fn main() {
    let text = || "x".to_owned();
    let new = NewStore { name: text(), password: Some(text()) };
    assert_eq!(format!("{new:?}"), r#"NewStore { name: "x", password: [secret] }"#);
    let changes = StoreChanges { name: Some(text()), password: Change::To(text()) };
    let printed = format!("{changes:?}");
    assert!(printed.contains("name: ") && printed.contains("[secret]"), "{printed}");
    assert_eq!(printed.matches('x').count(), 1, "{printed}");
    assert_eq!(format!("{:?}", Hidden { name: text(), password: text() }), "Hidden { .. }");
    assert_eq!(format!("{:?}", Keyword { r#type: 1, password: text() }), "Keyword { type: 1, password: [secret] }");
    assert_eq!(format!("{:?}", Password(text())), "Password([secret])");
    let login = Login::Key { id: 1, key: text() };
    assert_eq!(format!("{login:?}"), r#"Key { id: 1, key: [secret] }"#);
    assert_eq!(format!("{:?}", Login::Anonymous), "Anonymous");
    let access = Access { host: text(), password: text() };
    assert_eq!(format!("{access:?}"), r#"Access { host: "x", password: [secret] }"#);
}
