//! One field, as the author wrote it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Expr, Meta, Type, Visibility, ext::IdentExt, parse::Parser};

use super::{
    constraints::Constraints,
    foreign,
    known::{self, Known},
    limits::ungrouped,
};
use crate::{
    args::{Arguments, Text, split_at_commas},
    doc::Doc,
    errors::Errors,
    json::{self, Json},
};

/// What a field's default is.
pub(crate) enum Default {
    Value(Json, TokenStream),
    Constant(Expr),
}

impl ToTokens for Default {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Value(_, written) => written.to_tokens(tokens),
            Self::Constant(path) => path.to_tokens(tokens),
        }
    }
}

/// Which attribute the field is under.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Parameters,
    Newtype,
    Credentials,
}

/// A field, read.
pub(crate) struct Field {
    /// Numbers the constants that belong to it.
    pub(crate) index: usize,
    /// `None` in a newtype.
    pub(crate) ident: Option<Ident>,
    pub(crate) visibility: Visibility,
    pub(crate) ty: Type,
    /// The author's attributes without ours.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) cfg: Vec<Attribute>,
    pub(crate) wire: String,
    /// Names that it had earlier.
    pub(crate) aliases: Vec<Text>,
    pub(crate) known: Known,
    pub(crate) optional: bool,
    pub(crate) constraints: Constraints,
    pub(crate) default: Option<Default>,
    pub(crate) examples: Vec<(Json, TokenStream)>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) immutable: bool,
    pub(crate) secret: bool,
}

const HINTS: [(&str, &str); 21] = [
    ("min", "write `range(min = ..)` for a number, `length(min = ..)` for a string or list"),
    ("max", "write `range(max = ..)` for a number, `length(max = ..)` for a string or list"),
    ("minimum", "write `range(min = ..)`"),
    ("maximum", "write `range(max = ..)`"),
    ("min_length", "write `length(min = ..)`"),
    ("max_length", "write `length(max = ..)`"),
    ("min_items", "write `length(min = ..)`"),
    ("max_items", "write `length(max = ..)`"),
    ("regex", "write `pattern`"),
    ("inner", "write `items(...)`"),
    ("required", "a field is required unless its type is an `Option` or it has a `default`"),
    ("optional", "make the type an `Option`, or give a `default`"),
    ("nullable", "`null` is accepted in updates only, where it resets a property; make the type an `Option`"),
    ("values", "write an enum with `#[parameters]`"),
    ("choices", "write an enum with `#[parameters]`"),
    ("sensitive", "write `secret`"),
    ("readonly", "write `immutable`"),
    ("email", "write `format = \"email\"`"),
    ("url", "write `format = \"uri\"`"),
    ("skip", "every field is a parameter: keep what isn't in a type of its own"),
    ("flatten", "draft-04 cannot close an object that is put together of several: make it a property"),
];

/// The arguments of all `#[param(...)]` in `attributes`, which are taken out.
pub(crate) fn take_arguments(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Arguments {
    let mut tokens = TokenStream::new();
    for attribute in attributes.extract_if(.., |attribute| attribute.path().is_ident("param")) {
        match &attribute.meta {
            Meta::List(list) => {
                let list = &list.tokens;
                tokens.extend(quote!(#list,));
            }
            other => errors.help(other, "`#[param]` says nothing", "`#[param(...)]` takes a list of arguments"),
        }
    }
    Arguments::parse(tokens, errors)
}

impl Field {
    pub(crate) fn read(
        field: &syn::Field,
        index: usize,
        wire: impl FnOnce(&str) -> String,
        own_name: &str,
        place: Place,
        errors: &mut Errors,
    ) -> Self {
        let mut attributes = field.attrs.clone();
        foreign::refuse(&attributes, errors);
        let mut args = take_arguments(&mut attributes, errors);
        attributes.retain(|attribute| !is_foreign(attribute));
        let doc = Doc::of(&attributes);
        let cfg = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect();
        let name = field.ident.as_ref().map_or_else(|| own_name.to_owned(), |ident| ident.unraw().to_string());
        let known = if known::refuse(&field.ty, own_name, errors) { Known::Other } else { Known::of(&field.ty) };
        let ty = field.ty.to_token_stream().to_string().replace(' ', "");

        let rename = args.get::<Text>("rename", errors).map(|text| text.value());
        let title = args.get::<Text>("title", errors).map(|text| text.value());
        let written = args.get::<Text>("description", errors).map(|text| text.value());
        if let (None, Some(part)) = (&written, &doc.unreadable) {
            errors.help(
                part,
                "this part of the description is known only after the macro",
                "write `description = \"...\"`",
            );
        }
        let mut this = Self {
            index,
            ident: field.ident.clone(),
            visibility: field.vis.clone(),
            ty: field.ty.clone(),
            attributes,
            cfg,
            wire: rename.unwrap_or_else(|| wire(&name)),
            aliases: Vec::new(),
            optional: known::optional(&field.ty).is_some(),
            constraints: Constraints::default(),
            default: None,
            examples: Vec::new(),
            title,
            description: written.or_else(|| doc.text()),
            immutable: false,
            secret: args.flag("secret", errors).unwrap_or(false),
            known,
        };
        if place != Place::Credentials {
            this.constraints = Constraints::read(&mut args, &this.known, &name, &ty, errors);
        }
        this.examples = examples(&mut args, errors);
        if place == Place::Parameters {
            this.aliases = args.all("alias", errors);
            this.immutable = args.flag("immutable", errors).unwrap_or(false);
            this.default = this.read_default(&mut args, &name, errors);
        }
        let whose = if place == Place::Credentials { "a field of `#[credentials]`" } else { "`#[param]`" };
        args.no_members(whose, errors);
        args.finish(whose, hints(place), errors);
        for (example, _) in &this.examples {
            this.constraints.match_pattern(example, &format!("the example of `{name}`"), errors);
        }
        this
    }

    fn read_default(&self, args: &mut Arguments, name: &str, errors: &mut Errors) -> Option<Default> {
        let meta = args.find("default")?.clone();
        let Meta::NameValue(pair) = &meta else {
            errors.help(
                meta,
                "`default` needs a value: the schema tells it to the user",
                "`default = ...`; a field that may be absent and has no default is an `Option`",
            );
            return None;
        };
        let tokens = pair.value.to_token_stream();
        match json::parse.parse2(tokens.clone()) {
            Ok(Json::Null) => {
                errors.help(&tokens, "`null` is no default", "make the field an `Option` and leave the default out");
                None
            }
            Ok(value) => {
                if !fits(&value, &self.known) {
                    let ty = self.ty.to_token_stream().to_string().replace(' ', "");
                    errors.at(
                        &tokens,
                        format_args!("the default of `{name}` is {}, but `{name}` is a `{ty}`", value.text()),
                    );
                    return None;
                }
                self.constraints.match_pattern(&value, &format!("the default of `{name}`"), errors);
                Some(Default::Value(value, tokens))
            }
            Err(error) => match (ungrouped(&pair.value), &self.known) {
                (path @ Expr::Path(_), Known::Boolean | Known::Integer(_) | Known::String) if self.literally() => {
                    Some(Default::Constant(path.clone()))
                }
                (path @ Expr::Path(_), _) => {
                    errors.help(
                        path,
                        "only the default of an integer, a `bool` or a `String` can be the name of a constant",
                        "write the value as JSON, for an enum the string on the wire",
                    );
                    None
                }
                (Expr::Verbatim(_), _) => {
                    errors.push(error);
                    None
                }
                (other, _) => {
                    errors.help(
                        other,
                        "expected a JSON value or the name of a constant",
                        "a calculation goes into a constant of its own, whose name can stand here",
                    );
                    None
                }
            },
        }
    }

    /// The name of the field, for messages.
    pub(crate) fn name(&self) -> String {
        self.ident.as_ref().map(|ident| ident.unraw().to_string()).unwrap_or_default()
    }

    /// The field's type without its `Option`.
    pub(crate) fn inner(&self) -> &Type {
        known::optional(&self.ty).unwrap_or(&self.ty)
    }

    /// Whether a literal of Rust is a value of the type: an `u32` is, a `Box<u32>` or `NonZeroU32` isn't.
    pub(crate) fn literally(&self) -> bool {
        let ty = self.inner().to_token_stream().to_string();
        match &self.known {
            Known::Boolean | Known::Float | Known::String | Known::Char | Known::Integer(_) => {
                !ty.contains('<') && !ty.contains("NonZero")
            }
            _ => false,
        }
    }

    /// The name of a constant that belongs to this field.
    pub(crate) fn constant(&self, what: &str) -> Ident {
        format_ident!("__{what}_{}", self.index)
    }
}

fn hints(place: Place) -> &'static [(&'static str, &'static str)] {
    match place {
        Place::Parameters => &HINTS,
        Place::Newtype => &[
            ("default", "a type has no default of its own: put it on the fields of this type"),
            ("immutable", "put it on the fields of this type"),
            ("alias", "names are those of the fields of this type"),
        ],
        Place::Credentials => &[
            ("default", "credentials are written, not read"),
            ("alias", "credentials are written, not read"),
            ("immutable", "credentials don't change: a new binding has new ones"),
            ("range", "credentials are written by the broker itself, so that nobody checks them"),
            ("length", "credentials are written by the broker itself, so that nobody checks them"),
            ("pattern", "credentials are written by the broker itself, so that nobody checks them"),
            ("format", "credentials are written by the broker itself, so that nobody checks them"),
            ("sensitive", "write `secret`"),
        ],
    }
}

pub(crate) fn is_foreign(attribute: &Attribute) -> bool {
    ["serde", "schemars", "garde", "validate"].iter().any(|name| attribute.path().is_ident(name))
}

fn examples(args: &mut Arguments, errors: &mut Errors) -> Vec<(Json, TokenStream)> {
    let mut pieces = Vec::new();
    match args.find("example").cloned() {
        Some(Meta::NameValue(pair)) => pieces.push(pair.value.to_token_stream()),
        Some(other) => errors.help(other, "`example` needs a value", "`example = ...`"),
        None => {}
    }
    match args.find("examples").cloned() {
        Some(Meta::List(list)) => pieces.extend(split_at_commas(list.tokens)),
        Some(other) => errors.help(other, "`examples` takes a list", "`examples(1, 2, 3)`"),
        None => {}
    }
    pieces
        .into_iter()
        .filter_map(|tokens| match json::parse.parse2(tokens.clone()) {
            Ok(value) => Some((value, tokens)),
            Err(error) => {
                errors.push(error);
                None
            }
        })
        .collect()
}

/// Whether a value can be one of the type, as far as the type's name tells.
fn fits(value: &Json, known: &Known) -> bool {
    match (known, value) {
        (Known::Other, _)
        | (Known::Boolean, Json::Boolean(_))
        | (Known::Float, Json::Integer(_) | Json::Number(_))
        | (Known::String, Json::String(_)) => true,
        (Known::Integer(name), Json::Integer(value)) => match &**name {
            "u8" => u8::try_from(*value).is_ok(),
            "u16" => u16::try_from(*value).is_ok(),
            "u32" => u32::try_from(*value).is_ok(),
            "u64" | "usize" => u64::try_from(*value).is_ok(),
            "i8" => i8::try_from(*value).is_ok(),
            "i16" => i16::try_from(*value).is_ok(),
            "i32" => i32::try_from(*value).is_ok(),
            "i64" | "isize" => i64::try_from(*value).is_ok(),
            _ => true, // the compiler decides
        },
        (Known::Char, Json::String(text)) => text.value().chars().count() == 1,
        (Known::Address(name), Json::String(text)) => match &**name {
            "Ipv4Addr" => text.value().parse::<std::net::Ipv4Addr>().is_ok(),
            _ => text.value().parse::<std::net::Ipv6Addr>().is_ok(),
        },
        (Known::List(element), Json::Array(items)) => items.iter().all(|item| fits(item, element)),
        (Known::Map(element), Json::Object(members)) => members.iter().all(|(_, value)| fits(value, element)),
        _ => false,
    }
}
