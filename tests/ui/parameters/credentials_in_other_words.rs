//! Words for credentials and their fields that belong to parameters, or to other crates.
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

fn main() {}
