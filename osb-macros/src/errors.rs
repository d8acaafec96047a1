//! Mistakes and warnings, collected as data: one expansion reports all of them, and writes them at its end.

use std::fmt::Display;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// The mistakes found so far in one item.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<syn::Error>,
    /// Values of type `bool` in which the compiler finds a mistake.
    late: Vec<TokenStream>,
    /// The number of mistakes that a type, a value or the compiler reports.
    taken: usize,
    /// Part of an attribute can't be read, so arguments that seem to be missing may be there.
    unreadable: bool,
}

impl Errors {
    /// Adds a mistake at `place`. By convention the text is lower case, without a full stop, and names things in backticks.
    pub(crate) fn at(&mut self, place: impl ToTokens, message: impl Display) {
        self.found.push(syn::Error::new_spanned(place, message));
    }

    /// Adds a mistake at `place`, with the correction.
    pub(crate) fn help(&mut self, place: impl ToTokens, message: impl Display, help: impl Display) {
        self.at(place, format_args!("{message}\nhelp: {help}"));
    }

    /// Adds a mistake that the compiler finds in a value of type `bool`.
    pub(crate) fn late(&mut self, value: TokenStream) {
        self.late.push(value);
    }

    /// Collects the errors of a value. One without a place of its own is about all of `place`.
    pub(crate) fn from_darling(errors: darling::Error, place: &impl ToTokens) -> Self {
        let found = errors
            .flatten()
            .into_iter()
            .map(|error| if error.has_span() { error.into() } else { syn::Error::new_spanned(place, error) });
        Self { found: found.collect(), ..Self::default() }
    }

    /// Notes a mistake that the compiler reports itself.
    pub(crate) fn reported(&mut self) {
        self.taken += 1;
    }

    /// Adds a mistake that hides which arguments an attribute has.
    pub(crate) fn unreadable(&mut self, error: syn::Error) {
        self.hide_missing();
        self.push(error);
    }

    /// Notes that arguments that seem to be missing may be there.
    pub(crate) fn hide_missing(&mut self) {
        self.unreadable = true;
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.found.push(error);
    }

    pub(crate) fn append(&mut self, mut others: Self) {
        self.found.append(&mut others.found);
        self.late.append(&mut others.late);
        self.taken += others.taken;
        self.unreadable |= others.unreadable;
    }

    /// Removes the first mistake, and returns a type that reports it, in place of a type that the mistakes hide. The compiler
    /// reports no other error where the type is used.
    pub(crate) fn take_as_type(&mut self) -> Option<TokenStream> {
        let value = self.take_as_value()?;
        Some(quote!([(); #value]))
    }

    /// Like [`take_as_type`](Self::take_as_type), for a type whose names may be imported for it alone.
    pub(crate) fn take_beside(&mut self, ty: impl ToTokens) -> Option<TokenStream> {
        let unknown = self.take_as_type()?;
        Some(quote!((#unknown, #ty)))
    }

    /// Returns an expression that takes the place of one that the mistakes hide, like [`take_as_type`](Self::take_as_type).
    pub(crate) fn take_as_value(&mut self) -> Option<TokenStream> {
        let value = if self.found.is_empty() {
            (!self.late.is_empty()).then(|| self.late.remove(0))?
        } else {
            let error = self.found.remove(0).to_compile_error();
            quote!({ #error })
        };
        self.taken += 1;
        Some(value)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    pub(crate) fn count(&self) -> usize {
        self.found.len() + self.late.len() + self.taken
    }
}

impl ToTokens for Errors {
    /// Writes the errors as code, to stand beside the item.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.found.iter().map(syn::Error::to_compile_error));
        let late = &self.late;
        tokens.extend(quote!(#(const _: ::core::primitive::bool = #late;)*));
    }
}

/// A warning that `#[allow(deprecated)]` on the item silences.
pub(crate) struct Warning {
    span: Span,
    name: &'static str,
    message: String,
}

impl Warning {
    /// A warning at the first token of `place`; the compiler prints `name` before `message`.
    pub(crate) fn at(place: &impl ToTokens, name: &'static str, message: impl Into<String>) -> Self {
        let span = place.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        Self { span, name, message: message.into() }
    }
}

impl ToTokens for Warning {
    /// Writes the use of something deprecated whose note is the message, which is the only kind of warning that a
    /// macro can give on stable. It is a macro because the compiler prints the name of a macro as it is, and the path of
    /// everything else.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { span, name, message } = self;
        let name = Ident::new(name, *span);
        let warning = quote_spanned! {*span=>
            const _: () = {
                #[deprecated(note = #message)]
                macro_rules! #name { () => {}; }
                #name!();
            };
        };
        tokens.extend(warning);
    }
}

/// The errors and warnings of one item.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) errors: Errors,
    pub(crate) warnings: Vec<Warning>,
    /// The required things that the author left out, each with the way to write it.
    missing: Vec<(&'static str, String)>,
}

impl Report {
    /// Notes that something required is missing, such as `an id`.
    pub(crate) fn missing(&mut self, thing: &'static str, help: impl Into<String>) {
        self.missing.push((thing, help.into()));
    }

    /// Reports all missing arguments of `ident` as one error.
    pub(crate) fn report_missing(&mut self, what: &str, ident: &Ident) {
        let missing = std::mem::take(&mut self.missing);
        if missing.is_empty() || self.errors.unreadable {
            return;
        }
        let (things, help): (Vec<_>, Vec<_>) = missing.into_iter().unzip();
        self.errors.help(ident, format_args!("{what} `{ident}` needs {}", and_list(&things)), help.join("\nhelp: "));
    }

    /// Adds a warning at `place`; the compiler prints `name` before `message`.
    pub(crate) fn warn(&mut self, place: &impl ToTokens, name: &'static str, message: impl Into<String>) {
        self.warnings.push(Warning::at(place, name, message));
    }
}

/// Joins names to a list, as in `a, b and c`.
pub(crate) fn and_list<T: AsRef<str>>(names: &[T]) -> String {
    match names.iter().map(AsRef::as_ref).collect::<Vec<_>>().split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        Some((only, _)) => (*only).to_owned(),
        None => String::new(),
    }
}
