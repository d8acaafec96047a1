//! An attribute with a name that is nearly ours, or with an argument that only another one has: that one was meant, and is expanded.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;

use crate::{
    args::split_at_commas,
    broker,
    errors::Errors,
    item,
    parameters::{self, DataAttribute},
    plan, service,
};

/// Expands a `#[plan]` that was meant as a `#[service]` or as `#[parameters]`.
pub(crate) fn of_plan(args: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    if let Some(plans) = argument(args, &["plans"]) {
        let (message, instead) = ("only a service has plans", "`#[service(...)]` in place of `#[plan(...)]`");
        let mut errors = Errors::default();
        errors.help(&plans, message, format_args!("write {instead}"));
        // It may be a plan all the same, of another service.
        let counts_as = service::fallback(&syn::parse2(item.clone()).ok()?, &mut errors, true);
        return Some(quote!(#item #counts_as #errors));
    }
    let only = argument(args, &["partial", "rename_all", "open"])?;
    if argument(args, &["id", "name", "create", "bind", "bindable"]).is_some() {
        return None;
    }
    let expansion = parameters::expand(args.clone(), item.clone(), DataAttribute::Parameters);
    let message = format!("only parameters have `{only}`");
    Some(report(&only, &message, "`#[parameters(...)]` in place of `#[plan(...)]`", &expansion))
}

/// Expands a `#[service]` that was meant as a `#[plan]`, or that is a broker too.
pub(crate) fn of_service(args: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    if let Ok(mut both) = syn::parse2::<syn::ItemStruct>(item.clone())
        && item::remove_own("broker", &mut both)
    {
        // As a broker it would lack services, which is the same mistake.
        let (service, broker) = (service::expand(args.clone(), item.clone()), broker::fallback(&both.into()));
        return Some(quote!(#service #broker));
    }
    let only = argument(args, &["create", "bind", "bindable", "free", "narrow", "retired"])?;
    if argument(args, &["plans", "tags", "changes"]).is_some() {
        return None;
    }
    let expansion = plan::expand(args.clone(), item.clone());
    let message = format!("only a plan has `{only}`");
    Some(report(&only, &message, "`#[plan(...)]` in place of `#[service(...)]`", &expansion))
}

/// Expands `#[parameters]` that were meant as a `#[plan]`.
pub(crate) fn of_parameters(args: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let id = argument(args, &["id"])?;
    // Fields are parameters.
    syn::parse2::<syn::ItemStruct>(item.clone()).ok().filter(|item| item.fields.is_empty())?;
    let expansion = plan::expand(args.clone(), item.clone());
    Some(report(
        &id,
        "only plans and services have an `id`",
        "`#[plan(...)]` in place of `#[parameters(...)]`",
        &expansion,
    ))
}

/// Reports the attribute `name` in the place of `attribute`, which is expanded.
pub(crate) fn report_name(name: &str, attribute: &str, expansion: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let place = Ident::new(name, Span::call_site());
    errors.help(place, format_args!("there is no attribute `{name}`"), format_args!("write `#[{attribute}]`"));
    quote!(#expansion #errors)
}

/// Returns the first argument with one of these names.
fn argument(args: &TokenStream, names: &[&str]) -> Option<Ident> {
    let name = |piece: TokenStream| match piece.into_iter().next() {
        Some(TokenTree::Ident(name)) => Some(name),
        _ => None,
    };
    split_at_commas(args.clone()).into_iter().filter_map(name).find(|name| names.iter().any(|known| name == known))
}

fn report(argument: &Ident, message: &str, instead: &str, expansion: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    errors.help(argument, message, format_args!("write {instead}"));
    quote!(#expansion #errors)
}
