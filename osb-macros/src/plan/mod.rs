//! `#[plan]`: parse, validate, expand.

use proc_macro2::TokenStream;
use quote::quote;

mod asynchronous;
mod costs;
mod expand;
mod fallback;
mod maintenance;
mod metadata;
mod narrow;
mod parse;
mod polling;
mod validate;

use self::{
    parse::RawPlan,
    validate::{Fallback, Types, validate},
};
use crate::{
    code,
    errors::{Errors, Report},
    item,
    runtime::Runtime,
};

pub(crate) fn expand(mut args: TokenStream, mut tokens: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(mut item) = item::parse_struct("plan", &mut args, &mut tokens, &mut report.errors) else {
        let errors = report.errors;
        return quote!(#tokens #errors);
    };
    item::refuse_generics("plan", &mut item, &mut tokens, &mut report.errors);
    let (runtime, raw) = RawPlan::parse(args, &mut report.errors);
    let expansion = match validate(raw, &item, runtime.clone(), &mut report) {
        Ok(plan) => plan.expand(),
        Err(plan) => plan.expand(),
    };
    code::output(&tokens, &item.attrs, &runtime, &expansion, &report)
}

/// Makes a type count as a plan without parameters as well, inside the constant of another expansion.
pub(crate) fn without_parameters(runtime: &Runtime, ident: &syn::Ident, generics: &syn::Generics) -> TokenStream {
    let (runtime, ident, generics) = (runtime.clone(), ident.clone(), generics.clone());
    Fallback { runtime, ident, generics, types: Types::default(), unknown: None }.expand()
}

/// Makes a type count as a plan with unknown parameters, whose type reports one of the errors.
pub(crate) fn fallback(item: &syn::DeriveInput, errors: &mut Errors) -> TokenStream {
    let types = Types::unknown();
    let (ident, generics, unknown) = (item.ident.clone(), item::with_bounds(&item.generics), errors.take_as_type());
    let expansion = Fallback { runtime: Runtime::of_manifest(), ident, generics, types, unknown }.expand();
    quote!(const _: () = { #expansion };)
}
