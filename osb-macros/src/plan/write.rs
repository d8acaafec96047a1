//! What `#[plan]` becomes: the plan as a constant, and markers of what it promises.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

use super::{Args, polling::PollingDuration};
use crate::{
    args::{Text, TypeName},
    item,
    json::quoted,
    spans::at,
};

impl Args {
    /// The parts of the plan's JSON that follow from its own tokens.
    fn json(&self) -> (String, String) {
        let text = |text: &Option<Text>| quoted(&text.as_ref().map(Text::value).unwrap_or_default());
        let head = format!(
            "{{\"id\":{},\"name\":{},\"description\":{}{},\"free\":{}",
            text(&self.id),
            text(&self.name),
            quoted(self.description.as_deref().unwrap_or_default()),
            self.metadata.json(),
            self.free,
        );
        let polling = self.polling.as_ref().map(|PollingDuration(s)| format!(",\"maximum_polling_duration\":{s}"));
        let maintenance = self.maintenance.as_ref().map(|info| format!(",\"maintenance_info\":{}", info.json()));
        (head, polling.unwrap_or_default() + &maintenance.unwrap_or_default() + &self.extensions)
    }
}

pub(super) fn write(args: &Args, ident: &Ident, broken: bool) -> TokenStream {
    let (root, p) = (args.runtime.root(), args.runtime.private());
    let text = |text: &Option<Text>| text.as_ref().map(Text::value).unwrap_or_default();
    let (id, name) = (text(&args.id), text(&args.name));
    let description = args.description.clone().unwrap_or_default();
    let display_name = item::option(args.metadata.display_name.as_ref().map(Text::value), &p);
    let (bullets, costs) = (&args.metadata.bullets, &args.metadata.costs);
    let (free, bindable, rotatable) = (args.free, args.bindable, args.rotatable);
    let (requires_app, retired) = (args.requires_app, args.retired);
    let asynchronous = args.asynchronous.tokens(&p);
    let polling = item::option(args.polling.as_ref().map(|PollingDuration(seconds)| seconds), &p);
    let maintenance = item::option(
        args.maintenance.as_ref().map(|info| {
            let (version, description) = (&info.version, item::option(info.description.clone(), &p));
            quote!(#p::Maintenance { version: #version, description: #description })
        }),
        &p,
    );
    let (head, tail) = args.json();
    let parameters = |given: &Option<TypeName>| match given {
        Some(TypeName(given)) => (quote!(#given), true),
        None => (quote!(#root::schema::NoParameters), false),
    };
    let ((create, has_create), (update, has_update), (bind, has_bind)) =
        (parameters(&args.create), parameters(&args.update), parameters(&args.bind));
    // A plan whose attribute has a mistake promises nothing and takes every implementation.
    let updatable = has_update || args.maintenance.is_some();
    let mode = |set: bool| match (broken, set) {
        (true, _) => quote!(#p::Unchecked),
        (false, true) => quote!(#p::Yes),
        (false, false) => quote!(#p::No),
    };
    let (binding, updating) = (mode(bindable), mode(updatable));
    let marker = |set: bool, name: &str| {
        let name = Ident::new(name, Span::call_site());
        (broken || set).then(|| quote!(#[automatically_derived] impl #root::service::#name for #ident {}))
    };
    let (bindable_impl, rotatable_impl, updatable_impl) =
        (marker(bindable, "Bindable"), marker(rotatable, "Rotatable"), marker(updatable, "Updatable"));
    let update_check = args.update.as_ref().filter(|_| !broken).map(|TypeName(update)| {
        let required = quote!(#p::update_info(#name, <#ident as #root::service::Plan>::UPDATE_AND_CREATE));
        item::warn_if(update, &required, "an_update_requires_parameters", &p)
    });
    // All of it at the author's name, so that the compiler finds one error and not one in each half.
    let offered =
        (!broken).then(|| at(ident, quote!(const _: fn(<#ident as #root::service::Offer>::Offered) = |_| {};)));
    let implementation = item::implement(
        &quote!(#root::service::Plan),
        ident,
        &quote! {
            type Create = #create;
            type Update = #update;
            type Bind = #bind;
            type Binding = #binding;
            type Updating = #updating;
            const SPEC: #p::PlanSpec = #p::PlanSpec {
                id: #id,
                name: #name,
                description: #description,
                display_name: #display_name,
                bullets: &[#(#bullets),*],
                costs: &[#(#costs),*],
                free: #free,
                bindable: #bindable,
                rotatable: #rotatable,
                requires_app: #requires_app,
                retired: #retired,
                asynchronous: #asynchronous,
                maximum_polling_duration: #polling,
                maintenance: #maintenance,
                json: #p::PlanJson { head: #head, tail: #tail },
                broken: #broken,
            };
            const HAS_CREATE: #p::core::primitive::bool = #has_create;
            const HAS_UPDATE: #p::core::primitive::bool = #has_update;
            const HAS_BIND: #p::core::primitive::bool = #has_bind;
        },
    );
    quote! {
        #implementation
        #bindable_impl
        #rotatable_impl
        #updatable_impl
        #update_check
        #offered
    }
}
