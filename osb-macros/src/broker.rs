//! `#[broker]`: the services of a program, their one catalog, and the checks across them.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Index, ItemStruct, Member, Meta, Type, spanned::Spanned};

use crate::{
    args::{Arguments, split_at_commas},
    errors::Errors,
    item,
    runtime::Runtime,
};

/// The lints that an author can ask for: each would fire on nearly every broker.
const LINTS: &[(&str, &str)] =
    &[("lowercase_names", "lint_lowercase_names"), ("required_create_parameters", "lint_required_parameters")];

struct Args {
    runtime: Runtime,
    dynamic: bool,
    /// The functions of the lints asked for, each with where it was.
    lints: Vec<(syn::Ident, Span)>,
}

pub(crate) fn expand(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let item: ItemStruct = match item::structure("broker", &tokens) {
        Ok(item) => item,
        Err(errors) => return quote!(#tokens #errors),
    };
    let mut errors = Errors::default();
    let args = read(args, &mut errors);
    let services = services(&item, &mut errors);
    let implementation = write(&args, &item, if errors.is_empty() { &services } else { &[] }, !errors.is_empty());
    let (allow, errors) = (item::lint_levels(&item.attrs), errors.into_tokens());
    quote! {
        #item
        #allow
        const _: () = { #implementation };
        #errors
    }
}

fn read(tokens: TokenStream, errors: &mut Errors) -> Args {
    let mut args = Arguments::parse(tokens, errors);
    let runtime = Runtime::from_args(&mut args, errors);
    let dynamic = args.flag("dynamic", errors).unwrap_or(false);
    let mut lints = Vec::new();
    match args.find("deny").cloned() {
        Some(Meta::List(list)) => {
            for piece in split_at_commas(list.tokens) {
                let name = piece.to_string();
                match LINTS.iter().find(|(lint, _)| *lint == name) {
                    Some((_, function)) => lints.push((syn::Ident::new(function, Span::call_site()), piece.span())),
                    None => {
                        let known = LINTS.iter().map(|(lint, _)| format!("`{lint}`")).collect::<Vec<_>>().join(", ");
                        errors.help(
                            &piece,
                            format_args!("there is no lint `{name}`"),
                            format_args!("there is {known}"),
                        );
                    }
                }
            }
        }
        Some(other) => errors.help(other, "`deny` takes a list of lints", "write `deny(lowercase_names)`"),
        None => {}
    }
    args.no_members("a broker", errors);
    args.finish(
        "`#[broker]`",
        &[("plans", "plans are the services'"), ("services", "the services are the struct's fields")],
        errors,
    );
    Args { runtime, dynamic, lints }
}

/// The fields: each a service, each service once.
fn services(item: &ItemStruct, errors: &mut Errors) -> Vec<(Member, Type)> {
    item::no_generics("broker", &item.generics, errors);
    let mut services: Vec<(Member, Type)> = Vec::new();
    for (i, field) in item.fields.iter().enumerate() {
        if let Some(cfg) = field.attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
            errors.help(
                cfg,
                "a service cannot be there at times: the catalog is one constant",
                "put `#[cfg]` on two broker structs, each with its services",
            );
        }
        if services.iter().any(|(_, other)| *other == field.ty) {
            errors.help(
                &field.ty,
                "this service is in the broker already",
                "a service is offered once; what differs between its instances are plans and parameters",
            );
        }
        let member = field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(i)), Member::Named);
        services.push((member, field.ty.clone()));
    }
    if services.is_empty() {
        errors.help(
            &item.ident,
            format_args!("broker `{}` offers no service", item.ident),
            "add a field for each service; Cloud Foundry refuses an empty catalog",
        );
    }
    services
}

fn write(args: &Args, item: &ItemStruct, services: &[(Member, Type)], broken: bool) -> TokenStream {
    let (root, p, ident) = (args.runtime.root(), args.runtime.private(), &item.ident);
    let dynamic = args.dynamic || broken;
    let at = |place: &Type, tokens: TokenStream| item::respan(tokens, place.span().resolved_at(Span::call_site()));
    let offerings = services.iter().map(|(_, service)| at(service, quote!(#p::offering::<#service>())));
    let (members, types): (Vec<_>, Vec<_>) = services.iter().map(|(member, service)| (member, service)).unzip();
    let checks = services.iter().enumerate().map(|(i, (_, service))| {
        let distinct = (i > 0).then(|| {
            at(service, quote!(const _: () = #p::distinct_offering(__OFFERINGS[#i], __OFFERINGS.split_at(#i).0);))
        });
        let foreign = (!dynamic).then(|| at(service, quote!(const _: () = #p::no_foreign_types(__OFFERINGS[#i]);)));
        // A warning shows only at a span of the author's own.
        let mixed = item::respan(
            quote!(const _: () = #p::If::<{ #p::mixes_ids(__OFFERINGS[#i], __OFFERINGS.split_at(#i).0) }>::an_offering_and_a_plan_share_an_id();),
            service.span(),
        );
        let lints = args.lints.iter().map(|(lint, span)| {
            let span = span.resolved_at(Span::call_site());
            item::respan(quote_spanned!(span=> const _: () = #p::#lint(__OFFERINGS[#i]);), span)
        });
        quote!(#distinct #foreign #mixed #(#lints)*)
    });
    quote! {
        const __OFFERINGS: &[&#p::Offering] = &[#(#offerings),*];
        // The size of the catalog decides how long its evaluation takes.
        #[allow(long_running_const_eval)]
        const __CATALOG: &[#p::core::primitive::u8] = {
            const PARTS: &[&[#p::core::primitive::u8]] = &[#(<#types as #root::service::Service>::JSON),*];
            const LEN: #p::core::primitive::usize = #p::measure_catalog(PARTS);
            &#p::render_catalog::<LEN>(PARTS)
        };
        #[automatically_derived]
        impl #root::service::Broker for #ident {
            const OFFERINGS: &'static [&'static #p::Offering] = __OFFERINGS;
            const CATALOG: &'static [#p::core::primitive::u8] = __CATALOG;
            const DYNAMIC: #p::core::primitive::bool = #dynamic;
            fn mount(
                self: #p::std::sync::Arc<Self>,
            ) -> #p::std::vec::Vec<#p::std::vec::Vec<#p::std::sync::Arc<dyn #p::MountedPlan>>> {
                <#p::std::vec::Vec<_> as #p::core::convert::From<_>>::from(
                    [#(#p::Mounted::<Self, #types>::all(&self, |broker| &broker.#members)),*]
                )
            }
        }
        #(#checks)*
    }
}
