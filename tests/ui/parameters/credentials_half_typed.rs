//! A field of credentials is half-typed: the item stays usable.

use osb_runtime::prelude::*;

/// The credentials.
#[credentials]
#[derive(Debug)]
pub struct Access {
    /// The address.
    #[param(public)]
    pub uri: String,
    pub token: ,
}

pub fn used(access: Access) -> Credentials<Access> {
    println!("{} {access:?}", access.uri);
    Credentials(access)
}

fn main() {}
