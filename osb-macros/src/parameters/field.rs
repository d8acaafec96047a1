//! One field without mistakes.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Meta, Type, Visibility, ext::IdentExt};

use super::{
    constraints::Constraints,
    known::{self, Known},
    param::{Place, RawDescription, RawField},
    refused::refuse,
    rules::Names,
    values::{Example, Examples, RawDefault},
};
use crate::{
    args::{Flag, Given, Text, as_written},
    doc::Doc,
    errors::{Errors, Warning},
    json::Json,
    rules,
};

/// The default of a field.
pub(super) enum DefaultValue {
    Value { value: Json, written: TokenStream },
    Constant(Constant, syn::Expr),
}

/// The kind of a constant that is a default.
#[derive(Clone, Copy)]
pub(super) enum Constant {
    Boolean,
    Integer,
    String,
}

/// A field under `#[parameters]` or `#[credentials]`.
pub(super) struct Field {
    /// Numbers the constants that belong to the field.
    pub(super) index: usize,
    /// `None` in a newtype.
    pub(super) ident: Option<Ident>,
    pub(super) visibility: Visibility,
    pub(super) ty: Type,
    /// The author's attributes without ours.
    pub(super) attributes: Vec<Attribute>,
    pub(super) cfg: Vec<Attribute>,
    pub(super) wire: String,
    /// The names in earlier releases.
    pub(super) aliases: Vec<Text>,
    pub(super) known: Known,
    pub(super) optional: bool,
    pub(super) constraints: Constraints,
    pub(super) default: Option<DefaultValue>,
    pub(super) examples: Vec<Example>,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// The argument.
    pub(super) immutable: Option<Meta>,
    pub(super) update_only: Option<Meta>,
    pub(super) secret: bool,
    pub(super) warnings: Vec<Warning>,
}

/// The last words of names that secrets have.
const SECRETS: [&str; 12] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "credentials",
    "api_key",
    "apikey",
    "private_key",
    "secret_key",
];

/// Returns the warning of a text that is shown although it is probably a secret.
fn shown_secret(name: &str, field: &syn::Field, place: Place, shows: Option<bool>) -> Option<Warning> {
    let is_secret =
        SECRETS.iter().any(|word| name.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('_')));
    let message = match (place, shows) {
        (Place::Parameters, None) => {
            "platforms get parameters back, and messages show them: write `#[param(secret)]`, or `secret = false` if it may be seen"
        }
        (Place::Credentials, Some(true)) => "logs and examples show what is `public`: leave it out",
        _ => return None,
    };
    let is_text = matches!(Known::of(known::optional(&field.ty).unwrap_or(&field.ty)), Known::String);
    (is_secret && is_text).then(|| Warning::at(&field.ident, "secret_is_shown", message))
}

/// Returns whether a value is never shown, which is the default of credentials only.
fn is_secret(place: Place, public: Given<Flag>, secret: Given<Flag>, errors: &mut Errors) -> bool {
    let public = public.take_with_place(errors).filter(|(Flag(set), _)| *set);
    let secret = secret.take_with_place(errors);
    if let (Some((Flag(true), _)), Some((_, argument))) = (&secret, &public) {
        let help =
            "credentials are secret by default: keep `public` if logs may show this value, and leave it out otherwise";
        errors.help(argument, "a field of credentials is either `public` or `secret`", help);
    }
    if let (Place::Credentials, Some((Flag(false), argument)), None) = (place, &secret, &public) {
        errors.help(argument, "credentials are secret by default", "write `public` if logs may show this value");
    }
    if place == Place::Credentials { public.is_none() } else { matches!(secret, Some((Flag(true), _))) }
}

/// Returns the name on the wire that the author gave.
fn renamed(rename: Given<Text>, place: Place, errors: &mut Errors) -> Option<String> {
    let (text, argument) = rename.take_with_place(errors)?;
    if place == Place::Newtype {
        errors.help(argument, "`rename` has no meaning here: a newtype has no properties", "leave it out");
        return None;
    }
    rules::name_on_the_wire("property", &text, errors);
    Some(text.value())
}

impl Field {
    pub(super) fn validate(
        field: &syn::Field,
        index: usize,
        wire: impl FnOnce(&str) -> String,
        own_name: &str,
        place: Place,
        errors: &mut Errors,
    ) -> Self {
        let RawField { attributes, constraints, param, public, secret, description } =
            RawField::parse(&field.attrs, place, errors);
        let RawDescription { example, examples, rename, title, description } = description;

        let name = field.ident.as_ref().map_or_else(|| own_name.to_owned(), |ident| ident.unraw().to_string());
        let known = if refuse(&field.ty, own_name, place, errors) { Known::Other } else { Known::of(&field.ty) };
        let constraints = constraints.map(|raw| Constraints::validate(raw, errors)).unwrap_or_default();
        if let Known::Char = inner_known(&field.ty, &known)
            && let Some((_, word)) = constraints.words.iter().find(|(name, _)| *name == "length")
        {
            errors.help(word, "a `char` is always one character", "make the field a `String`, or leave `length` out");
        }
        let mut all_examples: Vec<Example> = example.take(errors).into_iter().collect();
        all_examples.extend(examples.take(errors).into_iter().flat_map(|Examples(examples)| examples));
        for Example(value, _) in &all_examples {
            constraints.match_pattern(value, &format!("the example of `{name}`"), errors);
        }
        let (mut default, mut immutable, mut update_only, mut aliases) = (None, None, None, Vec::new());
        if let Some(param) = param {
            aliases = param.alias.into_iter().filter_map(|alias| alias.take(errors)).collect();
            (immutable, update_only) = (param.immutable.take_set(errors), param.update_only.take_set(errors));
            default = param.default.take(errors).and_then(|raw| DefaultValue::validate(raw, &field.ty, &known, errors));
            if let Some(DefaultValue::Value { value, .. }) = &default {
                constraints.match_pattern(value, &format!("the default of `{name}`"), errors);
            }
        }
        let says = if place == Place::Credentials { public.flag() } else { secret.flag() };
        let warnings = shown_secret(&name, field, place, says).into_iter().chain(constraints.warning()).collect();
        let secret = is_secret(place, public, secret, errors);
        if let (true, Some(default)) = (secret, &default) {
            let help = "make the field an `Option` and generate a value where there is none, or leave `secret` out";
            errors.help(default, "the default of a secret is no secret: everyone can read it in the catalog", help);
        }
        let renamed = renamed(rename, place, errors);
        let description = description_of(&attributes, description.take(errors), errors);
        Self {
            index,
            ident: field.ident.clone(),
            visibility: field.vis.clone(),
            ty: field.ty.clone(),
            cfg: attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect(),
            attributes,
            wire: renamed.unwrap_or_else(|| wire(&name)),
            aliases,
            optional: known::optional(&field.ty).is_some(),
            constraints,
            default,
            examples: all_examples,
            title: title.take(errors).map(|text| text.value()),
            description,
            immutable,
            update_only,
            secret,
            warnings,
            known,
        }
    }

    /// Reports arguments and types that contradict `update_only`.
    pub(super) fn check_update_only(&self, of: &Ident, partial: Option<&Ident>, errors: &mut Errors) {
        let Some(argument) = &self.update_only else { return };
        if partial.is_none() {
            let help = format_args!("write `#[parameters(partial = ...)]` on `{of}`");
            errors.help(argument, "`update_only` needs the type of an update", help);
        } else if let Some(immutable) = &self.immutable {
            errors.help(immutable, "an update can't have an `immutable` property", "leave `immutable` out");
        } else if let Some(default) = &self.default {
            errors.help(default, "a property that is not stored has no default", "leave `default` out");
        } else if self.optional {
            let inner = as_written(self.inner());
            let said = "an `update_only` property is absent unless an update has it";
            errors.help(&self.ty, said, format_args!("write `{inner}`"));
        }
    }

    /// The name of the field, for messages.
    pub(super) fn name(&self) -> String {
        self.ident.as_ref().map(|ident| ident.unraw().to_string()).unwrap_or_default()
    }

    /// The field's type without its `Option`.
    pub(super) fn inner(&self) -> &Type {
        known::optional(&self.ty).unwrap_or(&self.ty)
    }

    /// The name of a constant that belongs to this field.
    pub(super) fn constant(&self, what: &str) -> Ident {
        format_ident!("__{what}_{}", self.index)
    }

    /// The names of the constants of the schema.
    pub(super) fn names(&self) -> Names {
        let schema = match &self.ident {
            Some(_) => {
                let property = self.constant("PROPERTY");
                quote!(&#property.schema)
            }
            None => self.constant("SCHEMA").into_token_stream(),
        };
        Names { base: self.constant("BASE"), rules: self.constant("RULES"), schema }
    }
}

/// Returns `description = "..."`, or the doc comment.
pub(super) fn description_of(attributes: &[Attribute], argument: Option<Text>, errors: &mut Errors) -> Option<String> {
    let doc = Doc::of(attributes);
    if let (None, Some(part)) = (&argument, &doc.unreadable) {
        errors.help(
            part,
            "this part of the description is known only after the macro",
            "write `description = \"...\"`",
        );
    }
    argument.map(|text| text.value()).or_else(|| doc.text())
}

/// Returns the known facts about a type without its `Option`.
fn inner_known(ty: &Type, known: &Known) -> Known {
    known::optional(ty).map_or_else(|| known.clone(), Known::of)
}

impl DefaultValue {
    fn validate(raw: RawDefault, ty: &Type, known: &Known, errors: &mut Errors) -> Option<Self> {
        let inner = inner_known(ty, known);
        match raw {
            RawDefault::Value(value, written) => Some(Self::Value { value, written }),
            RawDefault::Constant(path) => {
                let kind = match inner {
                    Known::Boolean => Constant::Boolean,
                    Known::Integer => Constant::Integer,
                    Known::String => Constant::String,
                    _ => {
                        let help = match as_written(&path) {
                            word if word.chars().all(|c| c.is_ascii_lowercase()) => {
                                format!("write `default = {word:?}`")
                            }
                            _ => "write the value as JSON, for an enum the string on the wire".to_owned(),
                        };
                        errors.help(
                            path,
                            "only the default of an integer, a `bool` or a `String` can be the name of a constant",
                            help,
                        );
                        return None;
                    }
                };
                Some(Self::Constant(kind, path))
            }
        }
    }
}

impl ToTokens for DefaultValue {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Value { written, .. } => written.to_tokens(tokens),
            Self::Constant(_, path) => path.to_tokens(tokens),
        }
    }
}
