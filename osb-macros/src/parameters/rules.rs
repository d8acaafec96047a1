//! The expansion of constraints: data in a constant, and checks that the compiler evaluates where the author wrote them.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::{
    constraints::{Constraints, Rule},
    runs::Sequence,
};
use crate::{
    code::option,
    json,
    spans::{preserve_spans, respan},
};

/// The names of the constants of one field, or of its elements.
pub(super) struct Names {
    /// The schema of the type.
    pub(super) base: Ident,
    pub(super) rules: Ident,
    /// The schema with the rules, an expression.
    pub(super) schema: TokenStream,
}

impl Names {
    fn of_items(&self) -> Self {
        let [base, rules] = [&self.base, &self.rules].map(|name| format_ident!("{name}_ITEMS"));
        let schema = format_ident!("{base}_RULED").into_token_stream();
        Self { base, rules, schema }
    }
}

impl Constraints {
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.items.is_none()
    }

    /// Writes the constants of the rules.
    pub(super) fn constants(&self, names: &Names, p: &TokenStream) -> TokenStream {
        let rules = &names.rules;
        let data = self.rules.iter().map(|rule| rule.tokens(p));
        let data = (!self.rules.is_empty()).then(|| quote!(const #rules: &[#p::Rule] = &[#(#data),*];));
        let items = self.items.as_ref().map(|items| items.constants(&names.of_items(), p));
        quote!(#data #items)
    }

    /// Writes the constants of the schemas that the rules are added to, and returns the expression that adds them, by the
    /// function `with`.
    pub(super) fn schemas(
        &self,
        names: &Names,
        of_type: &TokenStream,
        with: &TokenStream,
        p: &TokenStream,
    ) -> (TokenStream, TokenStream) {
        let Names { base, rules, .. } = names;
        if self.is_empty() {
            return (TokenStream::new(), of_type.clone());
        }
        let ruled = (!self.rules.is_empty()).then(|| quote!(.#with(#rules)));
        let (of_items, items) = self
            .items
            .as_ref()
            .map(|items| {
                let names = names.of_items();
                let schema = &names.schema;
                let (constants, ruled) = items.schemas(&names, &quote!(#p::Schema::element(#base)), with, p);
                (quote!(#constants const #schema: &#p::Schema = &#ruled;), quote!(.items(#schema)))
            })
            .unzip();
        (quote!(const #base: &#p::Schema = &#of_type; #of_items), quote!((*#base) #ruled #items))
    }

    /// Writes the checks of the rules on the constants called `names`, each a call.
    pub(super) fn checks(&self, names: &Names, name: &str, p: &TokenStream) -> Vec<TokenStream> {
        self.checks_if(None, names, name, p)
    }

    /// Writes the checks of elements of the type whose schema is `list`. One without elements is reported for `items`.
    fn checks_if(&self, list: Option<&Ident>, names: &Names, name: &str, p: &TokenStream) -> Vec<TokenStream> {
        let Names { base, rules, schema } = names;
        let mut out = Vec::new();
        let mut check = |place: &dyn ToTokens, call: TokenStream| {
            let call = match list {
                Some(list) => quote!(if #p::has_elements(#list) { #p::#call }),
                None => quote!(#p::#call),
            };
            out.push(respan(&place.to_token_stream(), call));
        };
        for (word, place) in &self.words {
            check(place, quote!(check_constraint(#base, #schema, #name, #word)));
        }
        for (index, rule) in self.rules.iter().enumerate() {
            if let Some(place) = rule.place() {
                // At the span of `0.25`, clippy would take it for an octal number.
                let index = preserve_spans(&Literal::usize_suffixed(index));
                check(place, quote!(check_rule(#base, #name, &#rules[#index])));
            }
        }
        if let Some(items) = &self.items {
            out.extend(items.checks_if(Some(base), &names.of_items(), &format!("an element of {name}"), p));
        }
        out
    }
}

impl Rule {
    fn tokens(&self, p: &TokenStream) -> TokenStream {
        match self {
            Self::Number(rule) => rule.tokens(p),
            Self::Length { min, max, .. } => {
                let [min, max] = [min, max].map(|side| option(side.as_ref().map(|bound| bound.count(p)), p));
                quote!(#p::Rule::Length(#min, #max))
            }
            Self::Pattern { source, regex } => {
                let source = json::text(&source.value(), p);
                let matches = match Sequence::of(regex) {
                    Some(sequence) => sequence.tokens(&quote!(__text), p),
                    None => quote! {
                        static REGEX: #p::LazyLock<#p::Regex> = #p::LazyLock::new(|| #p::compiled(#regex));
                        REGEX.is_match(__text)
                    },
                };
                quote!(#p::Rule::Pattern(#p::Pattern { source: #source, matches: |__text| { #matches } }))
            }
            Self::Format { variant, .. } => quote!(#p::Rule::Format(#p::Format::#variant)),
            Self::Unique => quote!(#p::Rule::Unique),
        }
    }

    /// The place of the numbers, if there are any.
    fn place(&self) -> Option<&dyn ToTokens> {
        match self {
            Self::Number(rule) => Some(rule),
            Self::Length { name, .. } => Some(name),
            Self::Pattern { .. } | Self::Format { .. } | Self::Unique => None,
        }
    }
}
