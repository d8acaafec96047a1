//! Attribute arguments, read one at a time: a half-typed one costs itself and no other.

use darling::FromMeta;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{
    Expr, LitStr, Meta, MetaList, MetaNameValue, Token,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};

mod values;

use self::values::Flag;
pub(crate) use self::values::{PathName, Text, TypeName, string_literal, ungrouped};
use crate::{
    errors::Errors,
    json::{self, Json},
};

/// One argument: `name`, `name = value` or `name(...)`.
pub(crate) struct Argument {
    pub(crate) name: Ident,
    pub(crate) meta: Meta,
    taken: bool,
}

/// The arguments of one attribute. [`finish`](Self::finish) reports those that nobody asked for, so that an unknown
/// argument cannot go unnoticed.
pub(crate) struct Arguments {
    list: Vec<Argument>,
    /// `"key": value` members, which some attributes accept beside the arguments.
    pub(crate) members: Vec<(LitStr, Json)>,
    asked: Vec<&'static str>,
    /// The first word of what could not be read: it is there, so it isn't missing.
    failed: Vec<String>,
}

impl Arguments {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut this = Self { list: Vec::new(), members: Vec::new(), asked: Vec::new(), failed: Vec::new() };
        for piece in split_at_commas(tokens) {
            if let Some(member) = json::member(&piece) {
                match member {
                    Ok(member) => this.members.push(member),
                    Err(error) => errors.push(error),
                }
                continue;
            }
            this.read(piece, errors);
        }
        this
    }

    /// Reads one argument, or several that lack a comma between them.
    fn read(&mut self, mut piece: TokenStream, errors: &mut Errors) {
        while let Some(first) = piece.clone().into_iter().next() {
            match argument_and_rest.parse2(piece) {
                Ok((argument, rest)) => {
                    self.add(argument, errors);
                    if let Some(next) = rest.clone().into_iter().next() {
                        errors.at(&next, "expected `,`");
                        if !matches!(next, TokenTree::Ident(_)) {
                            return;
                        }
                    }
                    piece = rest;
                }
                Err(error) => {
                    self.failed.push(first.to_string());
                    return errors.push(error);
                }
            }
        }
    }

    fn add(&mut self, argument: Argument, errors: &mut Errors) {
        if argument.name != "alias" && self.list.iter().any(|other| other.name == argument.name) {
            errors.at(&argument.name, format_args!("`{}` is given twice", argument.name));
        } else {
            self.list.push(argument);
        }
    }

    /// The argument called `name`, if it was given. To ask for it makes it a known one.
    pub(crate) fn find(&mut self, name: &'static str) -> Option<&Meta> {
        if !self.asked.contains(&name) {
            self.asked.push(name);
        }
        let found = self.list.iter_mut().find(|argument| argument.name == name)?;
        found.taken = true;
        Some(&found.meta)
    }

    /// Whether the argument called `name` was written, right or wrong.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.list.iter().any(|argument| argument.name == name) || self.failed.iter().any(|failed| failed == name)
    }

    /// The typed value of the argument called `name`, if it was given and is right.
    pub(crate) fn get<T: FromMeta>(&mut self, name: &'static str, errors: &mut Errors) -> Option<T> {
        let meta = self.find(name)?;
        let place = meta.clone();
        errors.take(T::from_meta(meta).map_err(|error| error.with_span(&place)))
    }

    /// The typed values of all arguments called `name`: the one that can be given again, as serde has it, is `alias`.
    pub(crate) fn all<T: FromMeta>(&mut self, name: &'static str, errors: &mut Errors) -> Vec<T> {
        self.asked.push(name);
        let found = self.list.iter_mut().filter(|argument| argument.name == name);
        let metas = found.map(|argument| {
            argument.taken = true;
            &argument.meta
        });
        metas.filter_map(|meta| errors.take(T::from_meta(meta).map_err(|error| error.with_span(meta)))).collect()
    }

    /// Whether the flag called `name` is set: `name`, `name = true` or `name = false`.
    pub(crate) fn flag(&mut self, name: &'static str, errors: &mut Errors) -> Option<bool> {
        self.get(name, errors).map(|Flag(set)| set)
    }

    /// The arguments inside the parentheses of `name(...)`; `example` shows them to who wrote something else.
    pub(crate) fn nested(&mut self, name: &'static str, example: &str, errors: &mut Errors) -> Option<(Ident, Self)> {
        match self.find(name)?.clone() {
            Meta::List(list) => {
                let at = list.path.require_ident().cloned().unwrap_or_else(|_| format_ident!("{name}"));
                Some((at, Self::parse(list.tokens, errors)))
            }
            other => {
                errors.help(other, format_args!("`{name}` takes a list"), format_args!("write `{name}({example})`"));
                None
            }
        }
    }

    /// Reports what nobody asked for. `hints` explains words that one would expect here; `whose` names the attribute.
    pub(crate) fn finish(self, whose: &str, hints: &[(&str, &str)], errors: &mut Errors) {
        for argument in self.list.iter().filter(|argument| !argument.taken) {
            let name = argument.name.to_string();
            if let Some((_, hint)) = hints.iter().find(|(word, _)| *word == name) {
                errors.help(&argument.name, format_args!("{whose} has no argument `{name}`"), hint);
            } else if let Some(near) = nearest(&name, self.asked.iter().copied())
                .or_else(|| nearest(&name, hints.iter().map(|(word, _)| *word)))
            {
                match hints.iter().find(|(word, _)| *word == near) {
                    Some((_, hint)) => {
                        errors.help(
                            &argument.name,
                            format_args!("{whose} has no argument `{name}`"),
                            format_args!("did you mean `{near}`? {hint}"),
                        );
                    }
                    None => errors.help(
                        &argument.name,
                        format_args!("{whose} has no argument `{name}`"),
                        format_args!("did you mean `{near}`?"),
                    ),
                }
            } else {
                let known = self.asked.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
                let known = if known.is_empty() { "JSON members: `\"key\": value`" } else { &known };
                errors.help(
                    &argument.name,
                    format_args!("{whose} has no argument `{name}`"),
                    format_args!("it takes {known}"),
                );
            }
        }
    }

    /// Reports `"key": value` members where there is no place for them.
    pub(crate) fn no_members(&mut self, whose: &str, errors: &mut Errors) {
        for (key, _) in self.members.drain(..) {
            errors.help(
                &key,
                format_args!("{whose} takes no JSON members"),
                "fields that the specification doesn't know go into `extensions(\"name\": value)`",
            );
        }
    }
}

/// The known word that `name` was probably meant to be.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|word| (strsim::jaro_winkler(name, word), word))
        .filter(|(score, _)| *score > 0.82)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}

/// The pieces between the commas that stand outside of any bracket.
pub(crate) fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut pieces = vec![TokenStream::new()];
    let mut angles = 0_u32;
    let mut before = ' ';
    for token in tokens {
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => angles += 1,
                '>' if before != '=' && before != '-' => angles = angles.saturating_sub(1),
                ',' if angles == 0 => {
                    pieces.push(TokenStream::new());
                    before = ',';
                    continue;
                }
                _ => {}
            }
            before = punct.as_char();
        } else {
            before = ' ';
        }
        if let Some(last) = pieces.last_mut() {
            last.extend([token]);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// One argument, and what follows it although there is no comma.
fn argument_and_rest(input: ParseStream<'_>) -> syn::Result<(Argument, TokenStream)> {
    Ok((argument(input)?, input.parse()?))
}

fn argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error("expected an argument: `name`, `name = value` or `name(...)`"));
    }
    let name = Ident::parse_any(input)?;
    let path = syn::Path::from(name.clone());
    let meta = if input.is_empty() || input.peek(Ident::peek_any) {
        Meta::Path(path)
    } else if input.peek(Token![=]) {
        let eq_token: Token![=] = input.parse()?;
        if input.is_empty() {
            return Err(syn::Error::new_spanned(&name, format_args!("`{name}` needs a value: `{name} = ...`")));
        }
        Meta::NameValue(MetaNameValue { path, eq_token, value: value(input)? })
    } else if input.peek(syn::token::Paren) {
        let group: proc_macro2::Group = input.parse()?;
        let delimiter = syn::MacroDelimiter::Paren(syn::token::Paren { span: group.delim_span() });
        debug_assert_eq!(group.delimiter(), Delimiter::Parenthesis);
        Meta::List(MetaList { path, delimiter, tokens: group.stream() })
    } else {
        return Err(input.error(format_args!("expected `=`, `(` or `,` after `{name}`")));
    };
    Ok(Argument { name, meta, taken: false })
}

/// What stands after an equals sign. Types and JSON objects need not be expressions of Rust.
fn value(input: ParseStream<'_>) -> syn::Result<Expr> {
    match input.fork().parse::<Expr>() {
        Ok(_) => input.parse(),
        Err(_) if input.peek(syn::token::Brace) => Ok(Expr::Verbatim(input.parse::<TokenTree>()?.into())),
        Err(_) if input.fork().parse::<syn::Type>().is_ok() => {
            Ok(Expr::Verbatim(input.parse::<syn::Type>()?.into_token_stream()))
        }
        Err(error) => Err(error),
    }
}
