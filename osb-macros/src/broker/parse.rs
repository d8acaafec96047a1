//! The arguments of `#[broker]`, as the author wrote them.

use darling::FromMeta;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Meta;

use crate::{
    args::{Arguments, Flag, Given, Text, arguments, split_at_commas, wrong},
    errors::Errors,
    runtime::Runtime,
};

arguments! {
    /// The arguments of `#[broker]`.
    pub(super) struct RawBroker {
        /// `dynamic` | Some parameters contain a `Foreign` type, whose schema is known only at run time: the catalog is
        /// completed and validated when the program starts. | `false` | CAT-50
        dynamic: Given<Flag>,
        /// `lock`, `lock = "..."` | Adds a test, `broker_has_no_breaking_changes` for a struct `Broker`, that compares the
        /// catalog with the file: it fails with a list of changes that would break platforms or users. The path is
        /// relative to the folder of `Cargo.toml`; `lock` alone means `catalog.lock`. Needs `osb-tool`, by this name, whose
        /// command `lock` writes the file; where another crate re-exports it, call `osb_tool::assert_locked` in a test
        /// instead. | no test
        lock: Given<LockFile>,
        /// `deny(lint, ...)` | Turns catalogs that the newest specification allows, but older platforms do not
        /// support, into errors; see below. | none
        deny: Given<LintList>,
    }
}

const OF_A_SERVICE: &str = "a broker has no entry of its own in the catalog: write it in `#[service(...)]`; a version is a plan's, `maintenance_info(version = \"...\")`";

impl RawBroker {
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> (Runtime, Self) {
        let mut args = Arguments::of_attribute(tokens, errors);
        if let Some(types) = args.take_types() {
            let help = format_args!("write `struct Broker({types});`");
            errors.help(&types, "the services are the fields of the struct, not arguments", help);
        }
        let raw = args.take();
        let runtime = Runtime::take(&mut args, errors);
        args.finish(
            "`#[broker]`",
            &[
                ("plans", "plans are the services'"),
                ("changes", "changes of plan are the services': `#[service(..., changes(Old => New))]`"),
                ("services", "the services are the struct's fields"),
                ("name", OF_A_SERVICE),
                ("id", OF_A_SERVICE),
                ("description", OF_A_SERVICE),
                ("version", OF_A_SERVICE),
                ("allow", "leave it out: only what `deny(...)` lists is an error"),
                ("warn", "write `deny(...)`: what it lists is an error"),
                ("forbid", "write `deny(...)`: what it lists is an error"),
                ("lint", "write `deny(...)`: what it lists is an error"),
                ("lowercase_names", "write `deny(lowercase_names)`"),
                ("one_way_changes", "write `deny(one_way_changes)`"),
                ("required_create_parameters", "write `deny(required_create_parameters)`"),
            ],
            errors,
        );
        (runtime, raw)
    }
}

/// The path of the lock file, which a test compares with the catalog.
pub(super) struct LockFile(pub(super) TokenStream);

impl FromMeta for LockFile {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        match meta {
            Meta::Path(_) => Ok(Self("catalog.lock".to_token_stream())),
            Meta::NameValue(pair) if Flag::from_meta(meta).is_ok() => {
                Err(wrong(&pair.value, "`lock` is a path", "write `lock` for `catalog.lock`, or `lock = \"...\"`"))
            }
            _ => Text::from_meta(meta).map(|path| Self(path.to_token_stream())),
        }
    }
}

/// The names in `deny(...)`, each as written.
pub(super) struct LintList(pub(super) Vec<TokenStream>);

impl FromMeta for LintList {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        match meta {
            Meta::List(list) => Ok(Self(split_at_commas(list.tokens.clone()))),
            _ => Err(darling::Error::custom("`deny` takes a list of lints\nhelp: write `deny(lowercase_names)`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RawBroker;
    use crate::{
        args::{ArgumentList, tables},
        runtime::RawRuntime,
    };

    #[test]
    fn documentation_lists_the_arguments() {
        tables::compare("broker.md", "Arguments", &[RawBroker::ROWS, RawRuntime::ROWS]);
    }
}
