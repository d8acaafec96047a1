//! The arguments of `#[parameters]` and `#[credentials]`, as the author wrote them.

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{LitStr, Meta, spanned::Spanned};

use crate::{
    args::{Flag, Given, Hint, Text, arguments},
    case::Case,
};

arguments! {
    /// The arguments of `#[parameters]`.
    pub(super) struct RawParameters {
        /// `partial = Name` | Generates the type of an update, called `Name`; see below. Structs only. | no type
        partial: Given<NewName>,
        /// `rename_all = "..."` | The spelling of names on the wire, in serde's words: `"camelCase"`, `"snake_case"`,
        /// `"kebab-case"`… | as in Rust
        rename_all: Given<Case>,
        /// `rename_all_fields = "..."` | The same for the fields of a tagged enum's variants. | as in Rust
        rename_all_fields: Given<Case>,
        /// `tag = "..."` | The property that selects the variant of an enum. | the enum's variants are strings
        tag: Given<Text>,
        /// `open` | Other properties are accepted, and ignored. | other properties are refused
        open: Given<Flag>,
        /// `title = "..."` | The title of the type in its schema. | none
        title: Given<Text>,
        /// `description = "..."` | The description of the type in its schema. | the doc comment
        description: Given<Text>,
    }
}

pub(super) const PARAMETERS_HINTS: &[Hint] = &[
    ("plan", OF_PLAN),
    ("create", OF_PLAN),
    ("bind", OF_PLAN),
    ("case", CASE),
    ("additional_properties", "write `open` to accept properties without a field"),
    ("deny_unknown_fields", "unknown properties are refused unless `open` is written"),
    ("untagged", "without a tag, the variant that a user means is unclear: write `tag = \"kind\"`"),
    ("update", "write `partial = Name`, which generates the type for a plan's `update`"),
    ("from", CONVERT),
    ("try_from", CONVERT),
    ("into", CONVERT),
    ("content", "a tag beside the properties is enough: `tag = \"kind\"`"),
    ("default", "put the default on each field: `#[param(default = ...)]`"),
    ("derive", "write `#[derive(...)]` below the attribute"),
    ("patch", "write `partial = Name`, which generates the type for a plan's `update`"),
    ("closed", "leave it out: other properties are refused unless `open` is written"),
    ("strict", "leave it out: other properties are refused unless `open` is written"),
    ("flatten", "draft-04 can't reject unknown properties of a flattened object: make it a property"),
    ("id", "plans and services have ids: those are under `#[plan]` and `#[service]`"),
    ("name", "the name is that of the type; `title` sets the display name"),
    (
        "rename",
        "a type has no name on the wire: `title` sets the display name, `rename_all` the spelling of the fields",
    ),
    ("min", ON_A_FIELD),
    ("max", ON_A_FIELD),
    ("range", ON_A_FIELD),
    ("multiple_of", ON_A_FIELD),
    ("one_of", ON_A_FIELD),
    ("length", ON_A_FIELD),
    ("pattern", ON_A_FIELD),
    ("format", ON_A_FIELD),
    ("items", ON_A_FIELD),
    ("unique", ON_A_FIELD),
    ("secret", ON_A_FIELD),
    ("immutable", ON_A_FIELD),
    ("update_only", ON_A_FIELD),
];

/// The hint for other ways of serde to read a type.
pub(super) const CONVERT: &str = "the schema is taken from the type: convert the value in the handler";

const CASE: &str = "write `rename_all = \"...\"`";
const ON_A_FIELD: &str = "it belongs on a field, that of a newtype too: `#[param(...)]`";

/// The name of a new type, as far as it can be read, and the mistake in it.
pub(super) struct NewName {
    pub(super) name: Option<Ident>,
    /// Where the name is missing or can't be read.
    pub(super) wrong: Option<TokenStream>,
}

impl FromMeta for NewName {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let (place, written) = match meta {
            Meta::NameValue(pair) => (pair.value.to_token_stream(), pair.value.to_token_stream()),
            Meta::List(list) => (meta.to_token_stream(), list.tokens.clone()),
            Meta::Path(_) => (meta.to_token_stream(), TokenStream::new()),
        };
        if let (Ok(name), Meta::NameValue(_)) = (syn::parse2(written.clone()), meta) {
            return Ok(Self { name: Some(name), wrong: None });
        }
        let quoted = syn::parse2::<LitStr>(written.clone()).and_then(|text| text.parse());
        let path = syn::parse2::<syn::Path>(written.clone());
        let path = path.ok().and_then(|path| Some(path.segments.last()?.ident.clone()));
        // `pub Name` and `New-Name`
        let words = written.into_iter().map(|token| token.to_string());
        let name = words.filter(|word| word.starts_with(char::is_uppercase)).collect::<String>();
        let name = syn::parse_str(&name).ok().map(|name: Ident| Ident::new(&name.to_string(), place.span()));
        Ok(Self { name: quoted.ok().or(path).or(name), wrong: Some(place) })
    }
}

arguments! {
    /// The arguments of `#[credentials]`.
    pub(super) struct RawCredentials {
        /// `title = "..."` | The title of the type in its schema. | none
        title: Given<Text>,
        /// `description = "..."` | The description of the type in its schema. | the doc comment
        description: Given<Text>,
        /// `rename_all = "..."` | The spelling of names on the wire, in serde's words: `"camelCase"`, `"snake_case"`,
        /// `"kebab-case"`… | as in Rust
        rename_all: Given<Case>,
        /// `type = "..."` | The member `type`, the same in each binding: the kind of service, such as `"postgresql"`, by
        /// which applications on Kubernetes find it (Service Binding specification). | none
        #[darling(rename = "type")]
        kind: Given<Text>,
        /// `provider = "..."` | The member `provider`, the same in each binding: the provider, if several offer
        /// the same type. | none
        provider: Given<Text>,
    }
}

const OF_PLAN: &str = "the plan names the type: `#[plan(..., create = Type)]`, `update = Type` or `bind = Type`";

const DECLARED: &str = "credentials contain exactly the declared fields";

pub(super) const CREDENTIALS_HINTS: &[Hint] = &[
    ("plan", "they are the output of `Bind`: `type Output = Credentials<Type>`"),
    ("bind", "they are the output of `Bind`: `type Output = Credentials<Type>`"),
    ("partial", "credentials are not updated: a new binding has new ones"),
    ("open", DECLARED),
    ("additional_properties", DECLARED),
    ("deny_unknown_fields", DECLARED),
    ("case", CASE),
    ("name", "the name is that of the type; `title` sets the display name"),
    ("derive", "write `#[derive(...)]` below the attribute"),
    ("tag", "credentials are a struct; a member that only some of them have is an `Option`"),
    ("kind", "write `type`"),
    ("service_type", "write `type`"),
    ("secret", "leave it out: credentials are secret unless a field says `#[param(public)]`"),
    ("public", "write `#[param(public)]` on each field that may be shown"),
];

/// The attribute of a type whose fields are data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DataAttribute {
    Parameters,
    Credentials,
}

impl DataAttribute {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Credentials => "credentials",
        }
    }

    /// Returns the attribute as an author writes it, for messages.
    pub(super) fn quoted(self) -> &'static str {
        match self {
            Self::Parameters => "`#[parameters]`",
            Self::Credentials => "`#[credentials]`",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RawCredentials, RawParameters};
    use crate::{
        args::{ArgumentList, tables},
        runtime::RawRuntime,
    };

    #[test]
    fn documentation_lists_the_arguments() {
        tables::compare("parameters.md", "Arguments of the attribute", &[RawParameters::ROWS, RawRuntime::ROWS]);
        tables::compare("credentials.md", "Arguments of the attribute", &[RawCredentials::ROWS, RawRuntime::ROWS]);
    }
}
