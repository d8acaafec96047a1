//! `#[broker]`: the services of a program, their one catalog, and the checks across them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Ident, Index, ItemStruct, Member, Meta, Type, ext::IdentExt};

use crate::{
    args::{Arguments, Text, split_at_commas},
    errors::Errors,
    item,
    parameters::Case,
    runtime::Runtime,
    spans::{at, kept},
};

/// The lints that an author can ask for: each would fire on nearly every broker.
const LINTS: &[(&str, &str)] = &[
    ("lowercase_names", "lint_lowercase_names"),
    ("one_way_changes", "lint_one_way_changes"),
    ("required_create_parameters", "lint_required_parameters"),
];

struct Args {
    runtime: Runtime,
    dynamic: bool,
    /// The lock file that a test holds the catalog against.
    lock: Option<TokenStream>,
    /// The functions of the lints asked for, each with what asked for it.
    lints: Vec<(Ident, TokenStream)>,
}

pub(crate) fn expand(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = item::structure("broker", &tokens, &mut errors) else {
        let errors = errors.into_tokens();
        return quote!(#tokens #errors);
    };
    let is_struct = errors.is_empty();
    let nameable = item::no_generics("broker", &item.generics, &mut errors);
    let args = read(args, &mut errors);
    let services = if is_struct { services(&item, &mut errors) } else { Vec::new() };
    let broken = !errors.is_empty();
    let implementation = nameable.then(|| write(&args, &item.ident, if broken { &[] } else { &services }, broken));
    let locked = args.lock.as_ref().filter(|_| nameable && !broken).map(|path| locked(&args, &item, path));
    let (allow, errors) = (item::lint_levels(&item.attrs), errors.into_tokens());
    quote! {
        #tokens
        #allow
        const _: () = { #implementation };
        #locked
        #errors
    }
}

fn read(tokens: TokenStream, errors: &mut Errors) -> Args {
    let mut args = Arguments::parse(tokens, errors);
    let runtime = Runtime::from_args(&mut args, errors);
    let dynamic = args.flag("dynamic", errors).unwrap_or(false);
    let lock = lock(&mut args, errors);
    let mut lints = Vec::new();
    match args.find("deny").cloned() {
        Some(Meta::List(list)) => {
            for piece in split_at_commas(list.tokens) {
                let name = piece.to_string();
                match LINTS.iter().find(|(lint, _)| *lint == name) {
                    Some((_, function)) => lints.push((Ident::new(function, Span::call_site()), piece)),
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
    Args { runtime, dynamic, lock, lints }
}

/// The file of `lock = "..."`, or the one that `lock` alone means.
fn lock(args: &mut Arguments, errors: &mut Errors) -> Option<TokenStream> {
    if let Meta::Path(_) = args.find("lock")? {
        return Some(quote!("catalog.lock"));
    }
    args.get::<Text>("lock", errors).map(|path| path.to_token_stream())
}

/// A test beside the broker: inside of a constant it would not be run.
fn locked(args: &Args, item: &ItemStruct, path: &TokenStream) -> TokenStream {
    let (p, ident) = (args.runtime.private(), &item.ident);
    let name = Case::Snake.variant(&ident.unraw().to_string());
    let name = format_ident!("{name}_breaks_nobody");
    quote! {
        #[cfg(test)]
        #[#p::core::prelude::v1::test]
        fn #name() {
            ::osb_tool::assert_locked::<#ident>(#path);
        }
    }
}

/// The fields: each a service, each service once.
fn services(item: &ItemStruct, errors: &mut Errors) -> Vec<(Member, Type)> {
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

fn write(args: &Args, ident: &Ident, services: &[(Member, Type)], broken: bool) -> TokenStream {
    let (root, p) = (args.runtime.root(), args.runtime.private());
    let dynamic = args.dynamic || broken;
    let parts = services.iter().map(|(member, service)| {
        let of = kept(service);
        at(service, quote!(#p::Part::of::<#of>(&#p::Field(|broker: &#ident| &broker.#member))))
    });
    let indices = 0..services.len();
    let (offerings, jsons) =
        (indices.clone().map(|i| quote!(__PARTS[#i].offering)), indices.map(|i| quote!(__PARTS[#i].json)));
    let checks = services.iter().enumerate().map(|(i, (_, service))| {
        let these = quote!(__OFFERINGS[#i], __OFFERINGS.split_at(#i).0);
        let distinct = (i > 0).then(|| item::check(service, quote!(#p::distinct_offering(#these))));
        let foreign = (!dynamic).then(|| item::check(service, quote!(#p::no_foreign_types(__OFFERINGS[#i]))));
        let mixed = quote!(#p::mixes_ids(#these));
        let mixed = item::warn_if(service, &mixed, "an_offering_and_a_plan_share_an_id", &p);
        let lints = args.lints.iter().map(|(lint, place)| item::check(place, quote!(#p::#lint(__OFFERINGS[#i]))));
        quote!(#distinct #foreign #mixed #(#lints)*)
    });
    quote! {
        const __PARTS: &[#p::Part<#ident>] = &[#(#parts),*];
        const __OFFERINGS: &[&#p::Offering] = &[#(#offerings),*];
        // The size of the catalog decides how long its evaluation takes.
        #[allow(long_running_const_eval)]
        const __CATALOG: &[#p::core::primitive::u8] = {
            const JSONS: &[&[#p::core::primitive::u8]] = &[#(#jsons),*];
            const LEN: #p::core::primitive::usize = #p::measure_catalog(JSONS);
            &#p::render_catalog::<LEN>(JSONS)
        };
        #[automatically_derived]
        impl #root::service::Broker for #ident {
            const OFFERINGS: &'static [&'static #p::Offering] = __OFFERINGS;
            const CATALOG: &'static [#p::core::primitive::u8] = __CATALOG;
            const DYNAMIC: #p::core::primitive::bool = #dynamic;
            fn mount(
                self: #p::std::sync::Arc<Self>,
            ) -> #p::std::vec::Vec<#p::std::vec::Vec<#p::std::sync::Arc<dyn #p::MountedPlan>>> {
                #p::mount(&self, __PARTS)
            }
        }
        #(#checks)*
    }
}
