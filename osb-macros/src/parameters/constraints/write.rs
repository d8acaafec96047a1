//! What constraints become: calls on a constant schema, and the checks that need types.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::Constraints;
use crate::{
    json,
    parameters::limits::{Bound, Limits},
    spans::at,
};

impl Constraints {
    /// `base`, a constant's name, with these constraints. `prefix` begins the names of [`constants`](Self::constants).
    pub(crate) fn put_on(
        &self,
        base: &TokenStream,
        prefix: &Ident,
        schema: &TokenStream,
        private: &TokenStream,
    ) -> TokenStream {
        let mut out = base.clone();
        if let Some(range) = &self.range {
            if let Some((bound, exclusive)) = &range.low {
                let bound = bound.tokens(schema, private);
                out = quote!(#schema::Schema::minimum(#out, #bound, #exclusive));
            }
            if let Some((bound, exclusive)) = &range.high {
                let bound = bound.tokens(schema, private);
                out = quote!(#schema::Schema::maximum(#out, #bound, #exclusive));
            }
        }
        if let Some((_, divisor)) = &self.multiple_of {
            let divisor = divisor.tokens(schema, private);
            out = quote!(#schema::Schema::multiple_of(#out, #divisor));
        }
        if let Some(length) = &self.length {
            let (min, max) = counts(length, private);
            out = quote!(#schema::Schema::length(#out, #min, #max));
        }
        if self.pattern.is_some() {
            out = quote!(#schema::Schema::pattern(#out, #prefix));
        }
        if let Some((_, format)) = &self.format {
            out = quote!(#schema::Schema::format(#out, #schema::Format::#format));
        }
        if self.unique.is_some() {
            out = quote!(#schema::Schema::unique(#out));
        }
        if let Some((_, items)) = &self.items {
            let element = items.put_on(
                &quote!(#schema::Schema::element(&#base)),
                &quote::format_ident!("{prefix}_ITEMS"),
                schema,
                private,
            );
            out = quote!(#schema::Schema::items(#out, &const { #element }));
        }
        out
    }

    /// The constants that [`put_on`](Self::put_on) names.
    pub(crate) fn constants(&self, prefix: &Ident, schema: &TokenStream, private: &TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        if let Some((_, source, regex)) = &self.pattern {
            let source = json::text(&source.value(), schema);
            out.extend(quote! {
                const #prefix: #schema::Pattern = #schema::Pattern {
                    source: #source,
                    regex: {
                        fn regex() -> &'static #private::Regex {
                            static REGEX: #private::LazyLock<#private::Regex> =
                                #private::LazyLock::new(|| #private::compiled(#regex));
                            &REGEX
                        }
                        regex
                    },
                };
            });
        }
        if let Some((_, items)) = &self.items {
            out.extend(items.constants(&quote::format_ident!("{prefix}_ITEMS"), schema, private));
        }
        out
    }

    /// The checks that need types: items that the compiler evaluates, each where the author wrote what it checks.
    pub(crate) fn checks(
        &self,
        base: &TokenStream,
        name: &str,
        prefix: &Ident,
        schema: &TokenStream,
        private: &TokenStream,
    ) -> TokenStream {
        let mut out = TokenStream::new();
        let mut check = |place: &dyn ToTokens, call: TokenStream| {
            out.extend(at(&place.to_token_stream(), quote!(const _: () = #schema::#call;)));
        };
        for (word, place) in self.given() {
            check(place, quote!(check_applies(&#base, #name, #word)));
        }
        for path in self.named_constants() {
            check(path, quote!(whole_number(&#path)));
        }
        if let Some(range) = &self.range {
            if let Some((bound, _)) = &range.low {
                let value = bound.tokens(schema, private);
                check(bound, quote!(check_minimum(&#base, #name, #value)));
            }
            if let Some((bound, _)) = &range.high {
                let value = bound.tokens(schema, private);
                check(bound, quote!(check_maximum(&#base, #name, #value)));
            }
        }
        if let Some((_, divisor)) = &self.multiple_of {
            let value = divisor.tokens(schema, private);
            check(divisor, quote!(check_divisor(&#base, #name, #value)));
        }
        if let Some(length) = &self.length {
            let (min, max) = counts(length, private);
            check(&length.at, quote!(check_length(&#base, #name, #min, #max)));
        }
        if let Some(limits) = self.range.as_ref().or(self.length.as_ref()) {
            let finished = self.put_on(base, prefix, schema, private);
            check(&limits.at, quote!(check_order(&#finished, #name)));
        }
        if let Some((_, items)) = &self.items {
            let element = quote!(#schema::Schema::element(&#base));
            let name = format!("an element of {name}");
            out.extend(items.checks(&element, &name, &quote::format_ident!("{prefix}_ITEMS"), schema, private));
        }
        out
    }
}

fn counts(length: &Limits, private: &TokenStream) -> (TokenStream, TokenStream) {
    let side = |side: &Option<(Bound, bool)>| match side {
        Some((bound, _)) => {
            let count = bound.count();
            quote!(#private::core::option::Option::Some(#count))
        }
        None => quote!(#private::core::option::Option::None),
    };
    (side(&length.low), side(&length.high))
}
