//! `#[broker]`: parse, validate, expand.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

mod expand;
mod fallback;
mod parse;
mod validate;

use self::{
    parse::RawBroker,
    validate::{Fallback, refuse_types, validate},
};
use crate::{code, errors::Report, item, runtime::Runtime};

pub(crate) fn expand(mut args: TokenStream, mut tokens: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(mut item) = item::parse_struct("broker", &mut args, &mut tokens, &mut report.errors) else {
        let errors = report.errors;
        return quote!(#tokens #errors);
    };
    if refuse_types(&mut item) {
        tokens = item.to_token_stream();
        report.errors.reported();
    }
    let is_struct = report.errors.is_empty() && syn::parse2::<syn::ItemStruct>(tokens.clone()).is_ok();
    item::refuse_generics("broker", &mut item, &mut tokens, &mut report.errors);
    let (runtime, raw) = RawBroker::parse(args, &mut report.errors);
    let broker = if is_struct {
        validate(raw, &item, runtime.clone(), &mut report)
    } else {
        Err(Box::new(Fallback::of(&item, runtime.clone())))
    };
    let (expansion, lock_test) = match &broker {
        Ok(broker) => (broker.expand(), broker.lock_test()),
        Err(broker) => (broker.expand(), None),
    };
    let output = code::output(&tokens, &item.attrs, &runtime, &expansion, &report);
    quote!(#output #lock_test)
}

/// Makes a type count as a broker.
pub(crate) fn fallback(item: &syn::DeriveInput) -> TokenStream {
    let (ident, generics) = (item.ident.clone(), item::with_bounds(&item.generics));
    Fallback { runtime: Runtime::of_manifest(), ident, generics }.expand()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::expand;

    #[test]
    fn the_test_of_the_lock_has_the_name_of_the_broker_in_snake_case() {
        for broker in [quote!(KvBroker), quote!(r#KvBroker)] {
            let written = expand(quote!(lock), quote!(struct #broker(Kv);)).to_string();
            let expected = quote! {
                fn kv_broker_has_no_breaking_changes() {
                    ::osb_tool::assert_locked::<#broker>("catalog.lock");
                }
            };
            assert!(written.contains(&expected.to_string()), "{written}");
        }
    }
}
