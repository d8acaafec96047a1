//! Credentials are under `#[parameters]`, have types that own nothing or no names, or words that belong to parameters, or to other crates.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub struct Access {
    // Mistake: Arguments of credentials in other words.
    #[param(hidden, required)]
    pub uri: String,
    #[param(type = "kv", optional)]
    pub kind: String,
    // Mistake: A field of credentials is `secret = false`.
    #[param(secret = false)]
    pub user: String,
    // Mistake: A field of credentials is `public` and `secret`.
    #[param(public, secret)]
    pub host: String,
    // Mistake: Words of other crates for secret values.
    #[param(skip_debug)]
    pub password: String,
    #[param(shown)]
    pub realm: String,
    #[param(skip)]
    pub pool: String,
    // Mistake: A field of credentials has a default, or is flattened.
    #[param(default = "x")]
    pub port: String,
    #[param(flatten)]
    pub path: String,
}

// Mistake: Credentials are an enum with a tag.
#[credentials(tag = "kind")]
pub enum Login {
    Password { password: String },
    Token { token: String },
}

// Mistake: Credentials have the argument of an update.
#[credentials(update = AccountChanges)]
pub struct Account {
    pub user: String,
}

// Mistake: The spelling of names is called `case`, as in other frameworks.
#[credentials(case = "camelCase")]
pub struct Named {
    pub user_name: String,
}

// Mistake: Credentials name their use in a plan.
#[credentials(bind)]
pub struct Bound {
    pub token: String,
}

#[credentials]
pub struct File {
    // Mistake: Credentials have types that own nothing, or have no names.
    pub user: &'static str,
    pub ports: (u16, u16),
    pub file: std::path::PathBuf,
    // Mistake: An array in credentials is longer than those that serde reads.
    pub key: [u8; 64],
    // Mistake: The time until which credentials are valid is a `SystemTime`.
    pub until: std::time::SystemTime,
    // Mistake: A field of credentials is a `Result`.
    pub token: Result<String, String>,
}

// Mistake: Credentials are under `#[parameters]`.
/// The credentials of a store.
#[parameters]
pub struct Meant {
    /// The user.
    #[param(public)]
    pub user: String,
    /// The password.
    pub password: String,
}

/// Returns the output of a binding.
pub fn output(login: Meant) -> impl osb_runtime::service::BindingOutput {
    Credentials(login)
}

fn main() {}
