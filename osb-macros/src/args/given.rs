//! The values of arguments, each with its own errors.

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream};
use syn::{Expr, Meta, MetaNameValue};

use super::{ArgumentList, Arguments, Hint, Member};
use crate::errors::Errors;

/// The value of one argument, if the author gave one.
pub(crate) enum Given<T> {
    Absent,
    /// Mentioned, with a value that cannot be used; the errors say why.
    Wrong(Errors),
    Value(T, Meta),
}

impl<T> Given<T> {
    /// Returns the value, and moves the errors to `errors`.
    pub(crate) fn take(self, errors: &mut Errors) -> Option<T> {
        self.take_with_place(errors).map(|(value, _)| value)
    }

    /// Returns the value and the argument that has it, and moves the errors to `errors`.
    pub(crate) fn take_with_place(self, errors: &mut Errors) -> Option<(T, Meta)> {
        match self {
            Self::Absent => None,
            Self::Wrong(wrong) => {
                errors.append(wrong);
                None
            }
            Self::Value(value, meta) => Some((value, meta)),
        }
    }

    /// Returns whether the author wrote the argument, right or wrong.
    pub(crate) fn is_mentioned(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}

impl<T: FromMeta> FromMeta for Given<T> {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        if is_half_typed(meta) {
            return Ok(Self::Wrong(Errors::default()));
        }
        Ok(match T::from_meta(meta) {
            Ok(value) => Self::Value(value, meta.clone()),
            Err(error) => Self::Wrong(Errors::from_darling(error, meta)),
        })
    }

    fn from_none() -> Option<Self> {
        Some(Self::Absent)
    }
}

/// Returns an argument that stands for a half-typed one.
pub(super) fn half_typed(name: &Ident) -> Meta {
    let eq_token = syn::token::Eq { spans: [name.span()] };
    Meta::NameValue(MetaNameValue { path: name.clone().into(), eq_token, value: Expr::Verbatim(TokenStream::new()) })
}

fn is_half_typed(meta: &Meta) -> bool {
    matches!(meta, Meta::NameValue(MetaNameValue { value: Expr::Verbatim(tokens), .. }) if tokens.is_empty())
}

/// The arguments of a list inside an attribute: `name(...)`.
pub(crate) trait Group: ArgumentList {
    const NAME: &'static str;
    /// A list, for the help of an author who wrote something else.
    const EXAMPLE: &'static str;
    /// The list, as messages name it.
    const WHOSE: &'static str;
    const HINTS: &'static [Hint] = &[];
    /// `true` if `"key": value` members can stand among the arguments.
    const TAKES_MEMBERS: bool = false;

    /// The mistake in an argument that is no list, and its correction.
    fn not_a_list() -> String {
        format!("`{}` takes a list\nhelp: write `{}({})`", Self::NAME, Self::NAME, Self::EXAMPLE)
    }
}

/// The parsed list `name(...)`.
pub(crate) struct Nested<G> {
    /// The name, where the author wrote it.
    pub(crate) name: Ident,
    pub(crate) arguments: Box<G>,
    pub(crate) members: Vec<Member>,
    /// `true` if there is nothing between the parentheses.
    pub(crate) is_empty: bool,
    unknown: Vec<Ident>,
    errors: Errors,
}

impl<G> Nested<G> {
    /// Returns whether the list has an unknown argument called `name`.
    pub(crate) fn has_unknown(&self, name: &str) -> bool {
        self.unknown.iter().any(|unknown| unknown == name)
    }

    /// Moves the errors of the list itself, such as unknown arguments, to `errors`.
    pub(crate) fn report(mut self, errors: &mut Errors) -> Self {
        errors.append(std::mem::take(&mut self.errors));
        self
    }
}

impl<G: Group> FromMeta for Nested<G> {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let (Meta::List(list), Some(name)) = (meta, meta.path().get_ident()) else {
            return Err(darling::Error::custom(G::not_a_list()));
        };
        let mut errors = Errors::default();
        let mut arguments = Arguments::parse(list.tokens.clone(), &mut errors);
        let group = Box::new(arguments.take());
        let members = if G::TAKES_MEMBERS { arguments.take_members() } else { Vec::new() };
        let unknown = arguments.finish(G::WHOSE, G::HINTS, &mut errors);
        Ok(Self { name: name.clone(), arguments: group, members, is_empty: list.tokens.is_empty(), unknown, errors })
    }
}
