//! Attribute arguments, parsed one at a time: an incomplete argument doesn't hide the others.
//!
//! [`Arguments`] holds the author's tokens. [`Arguments::take`] fills a struct that [`arguments!`] declares: it
//! derives darling's `FromMeta`, one [`Given`] a field, and its doc comments are the rows of the attribute's table in the
//! documentation. `Given` keeps the errors of each value, so that one wrong value hides no other.

use darling::{FromMeta, ast::NestedMeta};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{LitStr, Meta, Token, parse::Parser, punctuated::Punctuated, spanned::Spanned};

mod argument;
mod bound;
mod commas;
mod given;
mod separator;
#[cfg(test)]
pub(crate) mod tables;
mod unknown;
mod values;

pub(crate) use self::{
    argument::misplaced,
    bound::{
        Bound, NumberRule, Numbers, constant, exclusive_max, is_number, named_bounds, names_self, no_self, range, span,
        whole_number,
    },
    commas::{refuse_superfluous_comma, split_at_commas},
    given::{Adopt, Given, Group, MemberUse, Nested, named_in_order},
    unknown::nearest,
    values::{Flag, PathName, Strings, Text, TypeName, as_written, is_type, string_literal, ungrouped, wrong},
};
use self::{
    argument::{Argument, argument_and_rest},
    unknown::Unknown,
};
use crate::{
    errors::Errors,
    json::{self, Json},
};

/// Declares the arguments of an attribute, or of a list inside one, as a struct. Each field's doc comment is its row in
/// the documentation, without the outer bars; a test compares the two.
macro_rules! arguments {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $(#[darling $options:tt])?
                $field:ident: $ty:ty,
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(darling::FromMeta)]
        $visibility struct $name {
            $(
                $(#[doc = $doc])+
                $(#[darling $options])?
                $visibility $field: $ty,
            )*
        }

        impl $crate::args::ArgumentList for $name {
            const NAMES: &'static [&'static str] = &[$($crate::args::arguments!(@name $field $($options)?)),*];
            fn arguments(&mut self) -> Vec<&mut dyn $crate::args::Adopt> {
                vec![$(&mut self.$field),*]
            }
            #[cfg(test)]
            const ROWS: &'static [&'static str] = &[$(concat!($($doc),+)),*];
        }
    };
    (@name $field:ident (rename = $wire:literal)) => { $wire };
    (@name $field:ident $((multiple))?) => { stringify!($field) };
}
pub(crate) use arguments;

/// A struct that [`arguments!`] declares.
pub(crate) trait ArgumentList: FromMeta {
    /// The names of the arguments.
    const NAMES: &'static [&'static str];
    /// The arguments, in the order of their names.
    fn arguments(&mut self) -> Vec<&mut dyn Adopt>;
    /// The rows of the documentation's table.
    #[cfg(test)]
    const ROWS: &'static [&'static str];
}

/// A word that authors may expect among the arguments, and the explanation that they get.
pub(crate) type Hint = (&'static str, &'static str);

/// Joins two lists of hints, which have `N` together.
pub(crate) const fn join<const N: usize>(first: &[Hint], second: &[Hint]) -> [Hint; N] {
    let mut all = [("", ""); N];
    let (head, tail) = all.split_at_mut(first.len());
    head.copy_from_slice(first);
    tail.copy_from_slice(second);
    all
}

/// A `"key": value` member.
pub(crate) type Member = (LitStr, Json);

/// The number of bytes up to which a message shows a whole list.
const LONGEST_LIST: usize = 80;

/// The arguments of one attribute, or of one list inside it. [`finish`](Self::finish) reports those that no
/// [`take`](Self::take) took, so that an unknown argument cannot go unnoticed.
pub(crate) struct Arguments {
    list: Vec<Argument>,
    members: Vec<Member>,
    /// The names of the arguments asked for.
    known: Vec<&'static str>,
    /// `true` if `"key": value` members can stand among the arguments.
    takes_members: bool,
    /// The first mistake that leaves the meaning clear, unless the value is wrong too. It is probably in all arguments.
    mistake: Option<syn::Error>,
}

impl Arguments {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        Self::empty(false).read(tokens, &[], errors)
    }

    /// Parses all arguments of an attribute, among which the lists of arguments are.
    pub(crate) fn of_attribute(tokens: TokenStream, errors: &mut Errors) -> Self {
        refuse_superfluous_comma(&tokens, errors);
        Self::parse(tokens, errors)
    }

    /// Parses the arguments called `names`, and `"key": value` members among them.
    pub(crate) fn parse_with_members(tokens: TokenStream, names: &[&str], errors: &mut Errors) -> Self {
        Self::empty(true).read(tokens, names, errors)
    }

    fn empty(takes_members: bool) -> Self {
        Self { list: Vec::new(), members: Vec::new(), known: Vec::new(), takes_members, mistake: None }
    }

    fn read(mut self, tokens: TokenStream, names: &[&str], errors: &mut Errors) -> Self {
        let mut pieces = split_at_commas(tokens).into_iter().peekable();
        while let Some(mut piece) = pieces.next() {
            // `"key", "value"`
            if self.takes_members && json::is_text(&piece) {
                piece.extend(pieces.next_if(json::is_text).unwrap_or_default());
            }
            let (piece, mistake) = separator::correct(piece, self.takes_members, names);
            match json::member(&piece) {
                Some(Ok(member)) => {
                    self.members.push(member);
                    self.correct(mistake);
                }
                Some(Err(_)) if mistake.is_some() => self.correct(mistake),
                Some(Err(error)) => errors.push(error),
                None => self.parse_piece(piece, mistake, errors),
            }
        }
        self
    }

    /// Parses one argument, or several that lack a comma between them.
    fn parse_piece(&mut self, mut piece: TokenStream, mut mistake: Option<syn::Error>, errors: &mut Errors) {
        while let Some(first) = piece.clone().into_iter().next() {
            match argument_and_rest.parse2(piece) {
                Ok((mut argument, rest)) => {
                    argument.mistake = mistake.take().or(argument.mistake);
                    self.add(argument, errors);
                    piece = rest;
                    let Some(next) = piece.clone().into_iter().next() else { return };
                    let expected = |help: &str| syn::Error::new_spanned(&next, format_args!("expected `,`{help}"));
                    match &next {
                        TokenTree::Ident(name) => {
                            let error = expected(&format!("\nhelp: write a comma before `{name}`"));
                            match self.list.last_mut() {
                                // If it lacks a value, it is half-typed: then that is the one mistake.
                                Some(Argument { meta: Meta::Path(_), mistake, .. }) if mistake.is_none() => {
                                    *mistake = Some(error);
                                }
                                _ => errors.push(error),
                            }
                        }
                        TokenTree::Punct(punct) if punct.as_char() == ';' => {
                            errors.push(expected("\nhelp: write a comma in place of the semicolon"));
                            piece = piece.into_iter().skip(1).collect();
                            if !matches!(piece.clone().into_iter().next(), Some(TokenTree::Ident(_))) {
                                return errors.hide_missing();
                            }
                        }
                        _ => return errors.unreadable(expected("")),
                    }
                }
                Err(error) => {
                    if let TokenTree::Ident(name) = first {
                        self.list.push(Argument { meta: given::half_typed(&name), name, mistake: None });
                        return errors.push(error);
                    }
                    return errors.unreadable(error);
                }
            }
        }
    }

    fn correct(&mut self, mistake: Option<syn::Error>) {
        self.mistake = self.mistake.take().or(mistake);
    }

    fn add(&mut self, argument: Argument, errors: &mut Errors) {
        let is_same = |other: &&mut Argument| other.name == argument.name && !other.is_half_typed();
        let earlier = self.list.iter_mut().find(is_same).filter(|_| argument.name != "alias");
        let Some(earlier) = earlier else { return self.list.push(argument) };
        let name = &argument.name;
        let twice = format!("`{name}` is given twice");
        let (Meta::List(list), Meta::List(rest)) = (&mut earlier.meta, &argument.meta) else {
            return errors.help(name, twice, "leave one of them out");
        };
        let both = [&list.tokens, &rest.tokens].into_iter().flat_map(|tokens| split_at_commas(tokens.clone()));
        list.tokens = both.collect::<Punctuated<_, Token![,]>>().into_token_stream();
        let one = format!("{name}({})", as_written(&list.tokens));
        let one = if one.len() > LONGEST_LIST { format!("{name}(...)") } else { one };
        let text = format_args!("{twice}\nhelp: put everything into one list: `{one}`");
        earlier.mistake = earlier.mistake.take().or(Some(syn::Error::new_spanned(name, text)));
    }

    /// Takes the arguments that `T` has.
    pub(crate) fn take<T: ArgumentList>(&mut self) -> T {
        self.known.extend(T::NAMES);
        let (taken, left) = std::mem::take(&mut self.list)
            .into_iter()
            .partition(|argument: &Argument| T::NAMES.iter().any(|name| argument.name == name));
        self.list = left;
        let taken: Vec<Argument> = taken;
        let repeated =
            |argument: &Argument| taken.iter().any(|other| other.name == argument.name && !other.is_half_typed());
        let metas: Vec<_> = taken
            .iter()
            .filter(|argument| !argument.is_half_typed() || !repeated(argument))
            .map(|argument| NestedMeta::Meta(argument.meta.clone()))
            .collect();
        let mut arguments = match T::from_list(&metas) {
            Ok(arguments) => arguments,
            Err(error) => unreachable!("each field keeps its own errors: {error}"),
        };
        for argument in taken {
            // The message about the value says how to write the argument.
            let of_value = T::NAMES.iter().zip(arguments.arguments()).find(|(name, _)| argument.name == name);
            if !of_value.is_some_and(|(_, value)| value.has_errors()) {
                self.correct(argument.mistake);
            }
        }
        arguments
    }

    /// Takes the types that stand alone, such as `Free, Pro`: the author left out the name of their argument.
    pub(crate) fn take_types(&mut self) -> Option<TokenStream> {
        let is_type = |argument: &mut Argument| {
            let name = argument.name.to_string();
            matches!(argument.meta, Meta::Path(_)) && name.starts_with(char::is_uppercase)
        };
        let mut types = self.list.extract_if(.., is_type).map(|argument| argument.name.to_token_stream());
        let first = types.next()?;
        Some(types.fold(first, |list, ty| quote!(#list, #ty)))
    }

    /// Returns whether the author wrote the argument.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.list.iter().any(|argument| argument.name == name)
    }

    /// Takes `tokens` for the argument `name(...)`, or for its end if the author wrote that too.
    pub(crate) fn assume(&mut self, name: &str, tokens: TokenStream) {
        if let Some(argument) = self.list.iter_mut().find(|argument| argument.name == name) {
            if let Meta::List(list) = &mut argument.meta {
                list.tokens.extend(quote!(, #tokens));
            }
            return;
        }
        let name = Ident::new(name, tokens.span());
        let delimiter = syn::MacroDelimiter::Paren(syn::token::Paren(tokens.span()));
        let meta = Meta::List(syn::MetaList { path: name.clone().into(), delimiter, tokens });
        self.list.push(Argument { name, meta, mistake: None });
    }

    /// Takes `value` for the argument `name`.
    pub(crate) fn assume_value(&mut self, name: &str, value: TokenStream) {
        let name = Ident::new(name, value.span());
        let (path, eq_token) = (name.clone().into(), Token![=](name.span()));
        let meta = Meta::NameValue(syn::MetaNameValue { path, eq_token, value: syn::Expr::Verbatim(value) });
        self.list.push(Argument { name, meta, mistake: None });
    }

    /// Takes the `"key": value` members.
    pub(crate) fn take_members(&mut self) -> Vec<Member> {
        std::mem::take(&mut self.members)
    }

    /// Reports the arguments that were not taken, and returns them. `hints` explains words that authors may expect here;
    /// `whose` names the attribute.
    pub(crate) fn finish(mut self, whose: &str, hints: &[Hint], errors: &mut Errors) -> Unknown {
        self.mistake.take().into_iter().for_each(|mistake| errors.push(mistake));
        for (key, _) in &self.members {
            let help = match self.known.iter().find(|name| **name == key.value()) {
                Some(name) => format!("write `{name} = ...` for the argument"),
                None => "fields that the specification doesn't know go into `extensions(\"name\": value)`".to_owned(),
            };
            errors.help(key, format_args!("{whose} takes no JSON members"), help);
        }
        let mut used_hints = Vec::new();
        for argument in self.list.iter().filter(|argument| !argument.is_half_typed()) {
            let name = argument.name.to_string();
            let hint = unknown::hint(&name, hints);
            if hint.is_some() && used_hints.contains(&hint) {
                continue; // `minimum = 1, maximum = 9` is one mistake
            }
            used_hints.push(hint);
            let help = unknown::help(&name, &self.known, self.takes_members, hints);
            errors.help(&argument.name, format_args!("{whose} has no argument `{name}`"), help);
        }
        Unknown::of(self.list.into_iter().filter(|argument| !argument.is_half_typed()), &self.known)
    }
}
