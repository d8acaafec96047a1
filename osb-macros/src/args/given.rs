//! The values of arguments, each with its own errors.

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Expr, LitStr, Meta, MetaNameValue, Token, parse::Parser, punctuated::Punctuated};

use super::{ArgumentList, Arguments, Flag, Hint, LONGEST_LIST, Member, as_written};
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

    /// Returns whether the author wrote the argument, with a value that can't be used.
    pub(crate) fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong(_))
    }

    /// Returns whether the author wrote the argument, right or wrong.
    pub(crate) fn is_mentioned(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}

impl Given<Flag> {
    /// Returns whether the flag is set, if the author wrote it.
    pub(crate) fn flag(&self) -> Option<bool> {
        match self {
            Self::Value(Flag(set), _) => Some(*set),
            Self::Absent | Self::Wrong(_) => None,
        }
    }

    /// Returns the argument if it sets the flag, and moves the errors to `errors`.
    pub(crate) fn take_set(self, errors: &mut Errors) -> Option<Meta> {
        self.take_with_place(errors).and_then(|(Flag(set), argument)| set.then_some(argument))
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

/// An argument that can be read from its misspelt form, in which one mistake is reported, not two.
pub(crate) trait Adopt {
    fn adopt(&mut self, meta: &Meta);
    /// Returns whether its value can't be used, which is reported.
    fn has_errors(&self) -> bool;
}

impl<T: FromMeta> Adopt for Given<T> {
    fn adopt(&mut self, meta: &Meta) {
        if let Self::Absent = self {
            // The misspelt name is the mistake to report.
            *self = match T::from_meta(meta) {
                Ok(value) => Self::Value(value, meta.clone()),
                Err(_) => Self::Wrong(Errors::default()),
            };
        }
    }

    fn has_errors(&self) -> bool {
        self.is_wrong()
    }
}

impl<T> Adopt for Vec<T> {
    fn adopt(&mut self, _: &Meta) {}

    fn has_errors(&self) -> bool {
        false
    }
}

/// Returns an argument that stands for a half-typed one.
pub(super) fn half_typed(name: &Ident) -> Meta {
    let eq_token = syn::token::Eq { spans: [name.span()] };
    Meta::NameValue(MetaNameValue { path: name.clone().into(), eq_token, value: Expr::Verbatim(TokenStream::new()) })
}

pub(super) fn is_half_typed(meta: &Meta) -> bool {
    matches!(meta, Meta::NameValue(MetaNameValue { value: Expr::Verbatim(tokens), .. }) if tokens.is_empty())
}

/// The use of `"key": value` members among the arguments of a group.
#[derive(PartialEq, Eq)]
pub(crate) enum MemberUse {
    None,
    /// They are read, to be refused with a reason.
    ReadToRefuse,
    Taken,
}

/// The arguments of a list inside an attribute: `name(...)`.
pub(crate) trait Group: ArgumentList {
    const NAME: &'static str;
    /// A list, for the help of an author who wrote something else.
    const EXAMPLE: &'static str;
    /// The list, as messages name it.
    const WHOSE: &'static str;
    const HINTS: &'static [Hint] = &[];
    const MEMBERS: MemberUse = MemberUse::None;

    /// Returns the list that an author probably means who wrote values without names.
    fn named(_: &TokenStream) -> Option<String> {
        None
    }

    /// The mistake in an argument that is no list, and its correction.
    fn not_a_list() -> String {
        format!("`{}` takes a list\nhelp: write `{}({})`", Self::NAME, Self::NAME, Self::EXAMPLE)
    }
}

/// Returns the texts in `"a", "b"`, each with the name of the argument at its place.
pub(crate) fn named_in_order<G: Group>(tokens: &TokenStream) -> Option<String> {
    let texts = Punctuated::<LitStr, Token![,]>::parse_terminated.parse2(tokens.clone()).ok()?;
    let named: Vec<_> = G::NAMES.iter().zip(&texts).map(|(name, text)| format!("{name} = {}", text.token())).collect();
    (!named.is_empty() && texts.len() <= named.len()).then(|| named.join(", "))
}

/// The parsed list `name(...)`.
pub(crate) struct Nested<G> {
    /// The name, where the author wrote it.
    pub(crate) name: Ident,
    pub(crate) arguments: Box<G>,
    pub(crate) members: Vec<Member>,
    /// `true` if there is nothing between the parentheses.
    pub(crate) is_empty: bool,
    errors: Errors,
}

impl<G> Nested<G> {
    /// Moves the errors of the list itself, such as unknown arguments, to `errors`.
    pub(crate) fn report(mut self, errors: &mut Errors) -> Self {
        errors.append(std::mem::take(&mut self.errors));
        self
    }
}

impl<G: Group> FromMeta for Nested<G> {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let (Meta::List(list), Some(name)) = (meta, meta.path().get_ident()) else {
            let value = match meta {
                Meta::NameValue(pair) => pair.value.to_token_stream(),
                _ => TokenStream::new(),
            };
            let group = syn::parse2::<proc_macro2::Group>(value.clone()).ok().map(|group| group.stream());
            let written = group.filter(|list| !list.is_empty()).map(|list| as_written(&list));
            let named = G::named(&value).or(written.filter(|list| list.len() <= LONGEST_LIST));
            return Err(darling::Error::custom(match named {
                Some(named) => format!("`{}` takes a list\nhelp: write `{}({named})`", G::NAME, G::NAME),
                None => G::not_a_list(),
            }));
        };
        let mut errors = Errors::default();
        if let Some(named) = G::named(&list.tokens) {
            let message = format!("the arguments of `{name}` have names\nhelp: write `{name}({named})`");
            return Err(darling::Error::custom(message).with_span(&list.tokens));
        }
        let mut arguments = if G::MEMBERS == MemberUse::Taken {
            Arguments::parse_with_members(list.tokens.clone(), G::NAMES, &mut errors)
        } else {
            Arguments::parse(list.tokens.clone(), &mut errors)
        };
        let mut group: Box<G> = Box::new(arguments.take());
        let members = if G::MEMBERS == MemberUse::None { Vec::new() } else { arguments.take_members() };
        arguments.finish(G::WHOSE, G::HINTS, &mut errors).adopt(&mut *group);
        Ok(Self { name: name.clone(), arguments: group, members, is_empty: list.tokens.is_empty(), errors })
    }
}
