//! `#[service]`: parse, validate, expand.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

mod changes;
mod dashboard_client;
mod expand;
mod fallback;
mod fields;
mod metadata;
mod parse;
mod plans;
mod validate;

use self::{
    expand::offers,
    parse::RawService,
    validate::{Fallback, validate},
};
use crate::{
    code,
    errors::{Errors, Report},
    item,
    runtime::Runtime,
};

pub(crate) fn expand(mut args: TokenStream, mut tokens: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(mut item) = item::parse_struct("service", &mut args, &mut tokens, &mut report.errors) else {
        // The plans have a service all the same: only one mistake is reported.
        let (runtime, raw) = RawService::parse(args, &mut Report::default().errors);
        let offers = offers(&runtime, &plans::validate(raw.plans, None, &mut Report::default().errors).paths);
        let errors = report.errors;
        // A constant can't stand everywhere where an item can.
        let offers = runtime.imported(&offers).unwrap_or(offers);
        return quote!(#tokens #offers #errors);
    };
    // The caller puts an implementation in the place of this attribute.
    let is_broker = item::remove_own("broker", &mut item);
    let is_refused = fields::refuse_unshareable(&mut item);
    if is_refused || is_broker {
        tokens = item.to_token_stream();
    }
    let is_concrete = !is_refused && item.generics.params.is_empty();
    item::refuse_generics("service", &mut item, &mut tokens, &mut report.errors);
    let (runtime, raw) = RawService::parse(args, &mut report.errors);
    let shareable = if is_concrete { fields::require_shareable(&item, &runtime) } else { quote!(true) };
    let expansion = match validate(raw, &item, runtime.clone(), &mut report) {
        Ok(service) => service.expand(&shareable),
        Err(service) => service.expand(&shareable),
    };
    code::output(&tokens, &item.attrs, &runtime, &expansion, &report)
}

/// Makes a type count as a service with unknown plans, and as a plan if it `may_be_plan`, and reports one of the errors there.
pub(crate) fn fallback(item: &syn::DeriveInput, errors: &mut Errors, may_be_plan: bool) -> TokenStream {
    let (ident, generics, unknown) = (item.ident.clone(), item.generics.clone(), errors.take_as_value());
    let service =
        Fallback { runtime: Runtime::of_manifest(), ident, generics, plans: Vec::new(), unknown, may_be_plan };
    let expansion = service.expand(&quote!(true));
    quote!(const _: () = { #expansion };)
}
