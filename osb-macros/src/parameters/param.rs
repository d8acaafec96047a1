//! The arguments of `#[param]` on fields and variants, as the author wrote them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, LitStr, Meta};

use super::{
    foreign,
    parse::{CONVERT, DataAttribute},
    values::{Example, Examples, RawDefault},
};
use crate::{
    args::{
        Arguments, Bound, Flag, Given, Group, Hint, Nested, Numbers, Text, arguments, exclusive_max, join,
        named_bounds, refuse_superfluous_comma, split_at_commas, string_literal,
    },
    errors::Errors,
};

/// The attribute that a field is under.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Parameters,
    Newtype,
    Credentials,
}

impl Place {
    /// The word for the values, which is the name of the attribute too.
    pub(super) fn kind(self) -> &'static str {
        if self == Self::Credentials { "credentials" } else { "parameters" }
    }
}

/// Returns whether the attribute is `#[param(...)]`, or probably means it: with a path before it, or in a `cfg_attr`.
pub(super) fn is_param(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => split_at_commas(list.tokens.clone())
            .into_iter()
            .skip(1)
            .any(|piece| syn::parse2::<Meta>(piece).is_ok_and(|inner| inner.path().is_ident("param"))),
        meta => {
            meta.path().segments.last().is_some_and(|last| last.ident == "param")
                || MISNAMED.iter().any(|name| meta.path().is_ident(name))
        }
    }
}

/// Returns whether a field has an argument of this name that needs no value.
fn is_flag(name: &str) -> bool {
    ["secret", "public", "immutable", "update_only", "unique"].contains(&name)
}

/// Names that authors may take for `param`. No derive is known to read them.
const MISNAMED: [&str; 3] = ["parameter", "params", "osb"];

/// Returns the attributes of a field or a variant without those of this crate and of serde and the like, which it reports, and the
/// arguments of `#[param(...)]`.
pub(super) fn split_attributes(attributes: &[Attribute], errors: &mut Errors) -> (Vec<Attribute>, Arguments) {
    foreign::refuse(attributes, DataAttribute::Parameters, errors);
    let mut kept = attributes.to_vec();
    let args = take_param(&mut kept, errors);
    kept.retain(|attribute| !foreign::is_foreign(attribute));
    (kept, args)
}

/// Takes the arguments of all `#[param(...)]` out of `attributes`.
fn take_param(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Arguments {
    let mut tokens = TokenStream::new();
    for attribute in attributes.extract_if(.., |attribute| is_param(attribute)) {
        if attribute.path().is_ident("cfg_attr") {
            errors.help(
                &attribute,
                "`cfg_attr` cannot hold `param`, which is read before conditions are decided",
                "write the field twice, under `#[cfg(...)]` and `#[cfg(not(...))]`, each with its own `#[param(...)]`",
            );
            continue;
        }
        if let Some(name) = MISNAMED.iter().find(|name| attribute.path().is_ident(name)) {
            let message = format_args!("the attribute of a field is `param`, not `{name}`");
            errors.help(attribute.path(), message, "write `#[param(...)]`");
        } else if !attribute.path().is_ident("param") {
            errors.help(attribute.path(), "`param` is written without a path", "write `#[param(...)]`");
        }
        match &attribute.meta {
            Meta::List(list) => {
                let list = &list.tokens;
                refuse_superfluous_comma(list, errors);
                tokens.extend(quote!(#list,));
            }
            Meta::Path(path) => {
                errors.help(
                    path,
                    "`#[param]` needs arguments",
                    "write arguments in parentheses: `#[param(default = 3)]`",
                );
            }
            Meta::NameValue(pair) => {
                let value = pair.value.to_token_stream();
                let flag = string_literal(&pair.value).map(|text| text.value()).filter(|text| is_flag(text));
                let argument = flag.unwrap_or_else(|| format!("default = {value}"));
                let help = format_args!("write `#[param({argument})]`, or the name of another argument");
                errors.help(pair, "`#[param]` takes arguments in parentheses, each with its name", help);
            }
        }
    }
    Arguments::parse(tokens, errors)
}

arguments! {
    /// The constraints of a field, or of its elements.
    pub(super) struct RawConstraints {
        /// `range(min = .., max = ..)` | The bounds, both included; `exclusive_min` and `exclusive_max` exclude them.
        /// Literals, or constants. | numbers
        range: Given<Nested<RawRange>>,
        /// `multiple_of = ..` | Every value is a multiple of this number. | numbers
        multiple_of: Given<Bound>,
        /// `one_of(.., ..)` | The only values, in place of `range` and `multiple_of`. Strings are an enum with
        /// `#[parameters]`. | whole numbers
        one_of: Given<Numbers>,
        /// `length(min = .., max = ..)` | The number of characters (code points) of a string, elements of a list, or
        /// entries of a map. | strings, lists, maps
        length: Given<Nested<RawLength>>,
        /// `pattern = "..."` | An ECMA-262 regular expression that matches somewhere in the value. An expression
        /// whose meaning differs between ECMA-262 and the built-in matcher does not compile. | strings
        pattern: Given<Text>,
        /// `format = "..."` | `date-time`, `email`, `hostname`, `ipv4`, `ipv6` or `uri`; values are validated.
        /// | strings
        format: Given<Text>,
        /// `items(...)` | The constraints of each element. | lists, maps
        items: Given<Nested<RawConstraints>>,
        /// `unique` | No two elements are equal. | lists
        unique: Given<Flag>,
    }
}

/// The formats, each with the variant of the runtime's `Format`.
pub(super) const FORMATS: [(&str, &str); 6] = [
    ("date-time", "DateTime"),
    ("email", "Email"),
    ("hostname", "Hostname"),
    ("ipv4", "Ipv4"),
    ("ipv6", "Ipv6"),
    ("uri", "Uri"),
];

fn is_format(text: &str) -> bool {
    FORMATS.iter().any(|(name, _)| *name == text)
}

impl Group for RawConstraints {
    const NAME: &'static str = "items";
    const EXAMPLE: &'static str = "length(max = 10)";
    const WHOSE: &'static str = "`items`";
    const HINTS: &'static [Hint] = &join::<{ CONSTRAINT_HINTS.len() + 3 }>(
        CONSTRAINT_HINTS,
        &[
            ("default", "the field has a default, its elements have none"),
            ("secret", "mark the field `secret`"),
            ("param", "write its arguments without it: `items(length(max = 10))`"),
        ],
    );

    fn named(tokens: &TokenStream) -> Option<String> {
        let text = syn::parse2::<LitStr>(tokens.clone()).ok()?;
        let name = if is_format(&text.value()) { "format" } else { "pattern" };
        Some(format!("{name} = {}", text.token()))
    }
}

arguments! {
    /// `range(...)`
    pub(super) struct RawRange {
        /// `min = ..` | The smallest value.
        min: Given<Bound>,
        /// `exclusive_min = ..` | The exclusive lower bound.
        exclusive_min: Given<Bound>,
        /// `max = ..` | The largest value.
        max: Given<Bound>,
        /// `exclusive_max = ..` | The exclusive upper bound.
        exclusive_max: Given<Bound>,
    }
}

impl Group for RawRange {
    const NAME: &'static str = "range";
    const EXAMPLE: &'static str = "min = 1, max = 10";
    const WHOSE: &'static str = "`range`";
    const HINTS: &'static [Hint] = &[
        ("minimum", "write `min` and `max`"),
        ("maximum", "write `min` and `max`"),
        ("equal", "write `min` and `max`"),
        ("from", "write `min` and `max`"),
        ("to", "write `min` and `max`"),
        ("ge", "write `min` and `max`"),
        ("le", "write `min` and `max`"),
        ("gte", "write `min` and `max`"),
        ("lte", "write `min` and `max`"),
        ("gt", "write `exclusive_min` and `exclusive_max`"),
        ("lt", "write `exclusive_min` and `exclusive_max`"),
        ("min_exclusive", "write `exclusive_min` and `exclusive_max`"),
        ("max_exclusive", "write `exclusive_min` and `exclusive_max`"),
        ("step", "write `multiple_of = ..` beside `range(...)`"),
        ("multiple_of", "write `multiple_of = ..` beside `range(...)`"),
        ("message", MESSAGE),
    ];

    fn named(tokens: &TokenStream) -> Option<String> {
        named_bounds(tokens, exclusive_max)
    }
}

arguments! {
    /// `length(...)`
    pub(super) struct RawLength {
        /// `min = ..` | The smallest length.
        min: Given<Bound>,
        /// `max = ..` | The largest length.
        max: Given<Bound>,
    }
}

impl Group for RawLength {
    const NAME: &'static str = "length";
    const EXAMPLE: &'static str = "min = 1, max = 10";
    const WHOSE: &'static str = "`length`";
    const HINTS: &'static [Hint] = &[
        ("equal", "write `min` and `max`"),
        ("bytes", "lengths count characters"),
        ("chars", "lengths count characters anyway"),
    ];

    fn named(tokens: &TokenStream) -> Option<String> {
        // A length is a whole number, so one less is the largest.
        named_bounds(tokens, |bound| match bound.parse::<u64>() {
            Ok(number) => format!("max = {}", number.saturating_sub(1)),
            Err(_) => format!("max = {bound}"),
        })
    }
}

arguments! {
    /// The arguments of a field of parameters.
    pub(super) struct RawParam {
        /// `default = ..` | The value of an absent property: a literal, a constant, JSON. It has to satisfy the
        /// constraints, which the compiler checks; a pattern is checked at startup if the default is a constant, or if the
        /// field's type declares it. | any
        default: Given<RawDefault>,
        /// `immutable` | An update may not change the property. | any
        immutable: Given<Flag>,
        /// `update_only` | Only updates have the property, and it is not stored: each update with it calls the handler, such
        /// as `{"restart": true}`. The type of the update gets the field, this one doesn't. | any but `Option`
        update_only: Given<Flag>,
        /// `alias = "..."` | The name in an earlier release, which stored records and requests may still have; it can be
        /// given several times. The schema has the new name only. See
        /// [when types change](mod@crate::service#when-types-change). | any
        #[darling(multiple)]
        alias: Vec<Given<Text>>,
    }
}

arguments! {
    /// The arguments of a field of parameters, or of a newtype.
    pub(super) struct RawSecret {
        /// `secret` | The value is never shown: not in error messages, logs or fetched instances, and not by `Debug`. A
        /// default would be shown in the catalog and is refused. The compiler warns about a string whose name ends in
        /// `password`, `secret`, `token` or the like and that says neither `secret` nor `secret = false`. | any
        secret: Given<Flag>,
    }
}

arguments! {
    /// The arguments of a field of credentials.
    pub(super) struct RawCredential {
        /// `public` | The value may be shown: `Debug` prints it, and the documentation shows its examples. Without it the
        /// value is secret. | any
        public: Given<Flag>,
        /// `secret` | States the default explicitly; has no effect. | any
        secret: Given<Flag>,
    }
}

arguments! {
    /// The arguments of every field.
    pub(super) struct RawDescription {
        /// `example = ..` | A value for the documentation. It has to fit the schema. | any
        example: Given<Example>,
        /// `examples(.., ..)` | Several values for the documentation. | any
        examples: Given<Examples>,
        /// `rename = "..."` | The name on the wire. | any
        rename: Given<Text>,
        /// `title = "..."` | The title in the schema. | any
        title: Given<Text>,
        /// `description = "..."` | The description in the schema, instead of the doc comment. | any
        description: Given<Text>,
    }
}

/// A field with the arguments that have a meaning in its place.
pub(super) struct RawField {
    /// The author's attributes without ours.
    pub(super) attributes: Vec<Attribute>,
    pub(super) constraints: Option<RawConstraints>,
    pub(super) param: Option<RawParam>,
    pub(super) public: Given<Flag>,
    pub(super) secret: Given<Flag>,
    pub(super) description: RawDescription,
}

impl RawField {
    pub(super) fn parse(attributes: &[Attribute], place: Place, errors: &mut Errors) -> Self {
        let (attributes, mut args) = split_attributes(attributes, errors);
        let constraints = (place != Place::Credentials).then(|| args.take());
        let param = (place == Place::Parameters).then(|| args.take());
        let RawCredential { public, secret } = match place {
            Place::Credentials => args.take(),
            _ => RawCredential { public: Given::Absent, secret: args.take::<RawSecret>().secret },
        };
        let description = args.take();
        let whose = if place == Place::Credentials { "a field of `#[credentials]`" } else { "`#[param]`" };
        args.finish(whose, param_hints(place), errors);
        Self { attributes, constraints, param, public, secret, description }
    }
}

/// Words for constraints.
const CONSTRAINT_HINTS: &[Hint] = &[
    ("min", "write `range(min = .., max = ..)` for a number, `length(min = .., max = ..)` for a string or list"),
    ("max", "write `range(min = .., max = ..)` for a number, `length(min = .., max = ..)` for a string or list"),
    ("minimum", "write `range(min = .., max = ..)`"),
    ("maximum", "write `range(min = .., max = ..)`"),
    ("size", "write `length(min = .., max = ..)`"),
    ("between", "write `range(min = .., max = ..)`"),
    ("ge", "write `range(min = .., max = ..)`"),
    ("le", "write `range(min = .., max = ..)`"),
    ("gt", "write `range(exclusive_min = .., exclusive_max = ..)`"),
    ("lt", "write `range(exclusive_min = .., exclusive_max = ..)`"),
    ("exclusive_minimum", "write `range(exclusive_min = .., exclusive_max = ..)`"),
    ("exclusive_maximum", "write `range(exclusive_min = .., exclusive_max = ..)`"),
    ("flags", "ECMA-262 has none in a pattern: spell both cases out, as in `[aA]`"),
    ("ip", "write `format = \"ipv4\"` or `format = \"ipv6\"`"),
    ("in", CHOICE),
    ("non_empty", NOT_EMPTY),
    ("not_empty", NOT_EMPTY),
    ("empty", NOT_EMPTY),
    ("uuid", "write `pattern = \"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$\"`"),
    ("unit", "say it in the name of the field, such as `size_mb`"),
    ("message", MESSAGE),
    ("error", MESSAGE),
    ("min_length", "write `length(min = .., max = ..)`"),
    ("max_length", "write `length(min = .., max = ..)`"),
    ("min_items", "write `length(min = .., max = ..)`"),
    ("max_items", "write `length(min = .., max = ..)`"),
    ("regex", "write `pattern`"),
    ("inner", "write `items(...)`"),
    ("keys", "draft-04 has no rule for the names in a map: check them in the handler"),
    (
        "values",
        "write `items(...)` for the values of a map; for a choice of values, write an enum with `#[parameters]`",
    ),
    ("choices", CHOICE),
    ("enum", CHOICE),
    ("const", CHOICE),
    ("email", "write `format = \"email\"`"),
    ("url", "write `format = \"uri\"`"),
    ("validate", CHECK),
    ("validator", CHECK),
    ("custom", CHECK),
    ("contains", "write a `pattern`"),
    ("trim", UNCHANGED),
    ("lowercase", UNCHANGED),
    ("uppercase", UNCHANGED),
    ("with", CONVERT),
    ("deserialize_with", CONVERT),
    ("serialize_with", CONVERT),
    ("try_from", CONVERT),
    ("from", CONVERT),
    ("into", CONVERT),
    ("long", OPTION),
    ("short", OPTION),
    ("env", OPTION),
    ("value_name", OPTION),
    ("value_parser", OPTION),
];

const NOT_EMPTY: &str = "write `length(min = 1)`";
const CHOICE: &str = "write an enum with `#[parameters]`, or of whole numbers `one_of(1, 3)`";
const MESSAGE: &str = "leave it out: the runtime says which constraint a value violates";
const CHECK: &str = "check it in the handler, which refuses a value with `ProvisionError::invalid(\"...\")`";
const UNCHANGED: &str = "values are refused, but not changed: write a `pattern`, or change the value in the handler";
const OPTION: &str =
    "users send parameters with a request; an option of the program is a field under `#[derive(clap::Args)]`";

const PARAM_HINTS: &[Hint] = &[
    ("required", "a field is required unless its type is an `Option` or it has a `default`"),
    ("optional", "make the type an `Option`, or give a `default`"),
    ("nullable", "`null` is accepted in updates only, where it resets a property; make the type an `Option`"),
    ("name", "write `rename = \"...\"`"),
    ("schema", CONVERT),
    ("type", CONVERT),
    ("private", "write `secret`"),
    ("hidden", "write `secret`"),
    ("hide", "write `secret`"),
    ("sensitive", "write `secret`"),
    ("write_only", "write `secret`"),
    ("public", PUBLIC_PARAMETER),
    ("readonly", "write `immutable`"),
    ("deprecated", "draft-04 has no such keyword: say it in the doc comment"),
    ("rename_all", "it belongs on the type: `#[parameters(rename_all = \"...\")]`"),
    ("skip", "every field is a parameter: move other data to a separate type"),
    ("flatten", "draft-04 can't reject unknown properties of a flattened object: make it a property"),
];

const NEWTYPE_HINTS: &[Hint] = &[
    ("default", "a type has no default of its own: put it on the fields of this type"),
    ("immutable", "put it on the fields of this type"),
    ("update_only", "put it on a field of the struct that contains the value"),
    ("alias", "names are those of the fields of this type"),
    ("public", PUBLIC_PARAMETER),
];

const PUBLIC_PARAMETER: &str =
    "leave it out: parameters are shown unless they say `secret`; the type of credentials is under `#[credentials]`";

const NOT_VALIDATED: &str = "leave it out: the broker writes credentials itself, so they are not validated";

fn param_hints(place: Place) -> &'static [Hint] {
    match place {
        Place::Parameters => {
            const { &join::<{ CONSTRAINT_HINTS.len() + PARAM_HINTS.len() }>(CONSTRAINT_HINTS, PARAM_HINTS) }
        }
        Place::Newtype => {
            const { &join::<{ CONSTRAINT_HINTS.len() + NEWTYPE_HINTS.len() }>(CONSTRAINT_HINTS, NEWTYPE_HINTS) }
        }
        Place::Credentials => &[
            ("default", "credentials are written, not read"),
            ("alias", "credentials are written, not read"),
            ("immutable", "credentials don't change: a new binding has new ones"),
            ("update_only", "credentials don't change: a new binding has new ones"),
            ("range", NOT_VALIDATED),
            ("length", NOT_VALIDATED),
            ("pattern", NOT_VALIDATED),
            ("format", NOT_VALIDATED),
            ("items", NOT_VALIDATED),
            ("unique", NOT_VALIDATED),
            ("multiple_of", NOT_VALIDATED),
            ("one_of", NOT_VALIDATED),
            ("sensitive", "leave it out: credentials are secret unless they say `public`"),
            ("skip_debug", "leave it out: credentials are secret unless they say `public`"),
            ("redact", "leave it out: credentials are secret unless they say `public`"),
            ("private", "leave it out: credentials are secret unless they say `public`"),
            ("hidden", "leave it out: credentials are secret unless they say `public`"),
            ("visible", "write `public`"),
            ("show", "write `public`"),
            ("shown", "write `public`"),
            ("skip", "every field is a member: move other data to a separate type"),
            ("optional", "make the type an `Option`"),
            ("required", "a field is there in each binding unless its type is an `Option`"),
            ("type", "a member that is the same in each binding is `#[credentials(type = \"...\")]`"),
            ("flatten", "write the members as fields of this type"),
        ],
    }
}

arguments! {
    /// The arguments of a variant.
    pub(super) struct RawVariant {
        /// `rename = "..."` | The name on the wire.
        rename: Given<Text>,
        /// `description = "..."` | The description in the schema, instead of the doc comment.
        description: Given<Text>,
    }
}

pub(super) const VARIANT_HINTS: &[Hint] = &[
    ("value", "write `rename = \"...\"`"),
    ("alias", "a schema has one name for a value"),
    ("skip", "a schema lists all variants"),
    ("default", "the default is that of a field: `#[param(default = \"...\")]` with the string on the wire"),
];

#[cfg(test)]
mod tests {
    use super::{RawConstraints, RawCredential, RawDescription, RawParam, RawSecret};
    use crate::args::{ArgumentList, tables};

    #[test]
    fn documentation_lists_the_arguments() {
        let field = [RawConstraints::ROWS, RawParam::ROWS, RawSecret::ROWS, RawDescription::ROWS];
        tables::compare("parameters.md", "Arguments of a field: `#[param(...)]`", &field);
        let field = [RawCredential::ROWS, RawDescription::ROWS];
        tables::compare("credentials.md", "Arguments of a field: `#[param(...)]`", &field);
    }
}
