//! Stores of the author's own, which `--store` names by the scheme of a URL.

use std::{pin::Pin, rc::Rc};

use osb_runtime::{http::BoxError, store::Records};
use osb_store::Keys;

use super::{Failure, Secret};

/// The records that `--store` names in a store of the author's own: see [`Program::store`](super::Program::store).
#[derive(Debug)]
#[non_exhaustive]
pub struct StoreLocation {
    /// The URL, which may have a password.
    pub url: Secret,
    /// The keys of `--store-keys`, to [seal](Keys::seal) records with.
    pub keys: Option<Keys>,
    /// The name of the program, by which brokers that share a database can keep their records apart.
    pub program: String,
    /// `true` for `serve`, which creates missing records. `false` for the commands of operators: there, a mistyped URL is an error.
    pub may_create: bool,
}

type Open = Rc<dyn Fn(StoreLocation) -> Pin<Box<dyn Future<Output = Result<Records, BoxError>>>>>;

/// A store of the author's own.
#[derive(Clone)]
pub(super) struct OwnStore {
    pub(super) scheme: &'static str,
    open: Open,
}

impl OwnStore {
    pub(super) fn new(
        scheme: &'static str,
        open: impl AsyncFn(StoreLocation) -> Result<Records, BoxError> + 'static,
    ) -> Self {
        let open = Rc::new(open);
        let boxed = move |location| -> Pin<Box<dyn Future<Output = _>>> {
            let open = Rc::clone(&open);
            Box::pin(async move { open(location).await })
        };
        Self { scheme, open: Rc::new(boxed) }
    }
}

/// The program's own stores, and its name, by which a store keeps the records of several programs apart.
#[derive(Clone)]
pub(super) struct OwnStores {
    pub(super) program: String,
    pub(super) own: Vec<OwnStore>,
}

impl OwnStores {
    /// Opens records in a store of the author's own.
    pub(super) async fn open(
        &self,
        scheme: &str,
        url: &str,
        keys: Option<Keys>,
        may_create: bool,
    ) -> Result<Records, Failure> {
        let Some(own) = self.own.iter().find(|own| own.scheme == scheme) else {
            return Err(Failure::Usage(format!("no store of this program has the scheme `{scheme}`")));
        };
        let url = Secret::from(url.to_owned());
        let location = StoreLocation { url, keys, program: self.program.clone(), may_create };
        let failed = |error| Failure::of_author(&format!("the records in `{scheme}` can't be opened: "), &error);
        (own.open)(location).await.map_err(failed)
    }
}

/// Returns why a URL can't begin with this scheme.
pub(super) fn invalid_scheme(scheme: &str) -> Option<String> {
    let is_valid = scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.'));
    match scheme {
        "postgres" | "postgresql" => {
            Some(format!("`{scheme}` is the scheme of PostgreSQL; give the program's store another one"))
        }
        _ if !is_valid => Some(format!(
            "`{scheme}` can't be the scheme of the program's store; write a word in lower case, such as `mysql`"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::invalid_scheme;

    #[test]
    fn a_scheme_is_a_word_in_lower_case_that_no_other_store_has() {
        for scheme in ["mysql", "my-store+tls", "s3.v2"] {
            assert_eq!(invalid_scheme(scheme), None);
        }
        for scheme in ["", "MySQL", "my sql", "mysql://", "2nd", "ö"] {
            assert!(invalid_scheme(scheme).is_some_and(|why| why.contains("in lower case")), "{scheme}");
        }
        for scheme in ["postgres", "postgresql"] {
            assert!(invalid_scheme(scheme).is_some_and(|why| why.contains("PostgreSQL")), "{scheme}");
        }
    }
}
