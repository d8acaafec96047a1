//! What `#[service]` becomes: the offering as constants, and the one place where everything that it promises is asked
//! for.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::{Args, Change, DashboardClient};
use crate::{
    args::Text,
    item,
    json::quoted,
    spans::{at, kept},
};

impl Args {
    /// The parts of the offering's JSON that follow from its own tokens.
    fn json(&self) -> [String; 3] {
        let text = |text: &Option<Text>| quoted(&text.as_ref().map(Text::value).unwrap_or_default());
        let tags = self.tags.iter().map(|tag| quoted(&tag.value())).collect::<Vec<_>>().join(",");
        let tags = if tags.is_empty() { tags } else { format!(",\"tags\":[{tags}]") };
        let description = quoted(self.description.as_deref().unwrap_or_default());
        let head =
            format!("{{\"name\":{},\"id\":{},\"description\":{description}{tags}", text(&self.name), text(&self.id));
        let client = self.dashboard_client.as_ref().map(|client| {
            // The secret comes from the environment when the program starts.
            format!(
                ",\"dashboard_client\":{{\"id\":{},\"redirect_uri\":{}}}",
                quoted(&client.id),
                quoted(&client.redirect_uri)
            )
        });
        [head, self.metadata.json() + &client.unwrap_or_default(), self.extensions.clone()]
    }
}

pub(super) fn write(args: &Args, ident: &Ident, broken: bool) -> TokenStream {
    let (root, p) = (args.runtime.root(), args.runtime.private());
    let text = |text: &Option<Text>| text.as_ref().map(Text::value).unwrap_or_default();
    let (id, name) = (text(&args.id), text(&args.name));
    let description = args.description.clone().unwrap_or_default();
    let optional = |value: &Option<Text>| item::option(value.as_ref().map(Text::value), &p);
    let display_name = optional(&args.metadata.display_name);
    let long_description = optional(&args.metadata.long_description);
    let documentation_url = optional(&args.metadata.documentation_url);
    let support_url = optional(&args.metadata.support_url);
    let image_url = optional(&args.metadata.image_url);
    let (tags, plans) = (&args.tags, &args.plans);
    let (instances, bindings, context) =
        (args.instances_retrievable, args.bindings_retrievable, args.allow_context_updates);
    let client = item::option(
        args.dashboard_client.as_ref().map(|client| {
            let DashboardClient { id, secret_env, redirect_uri } = client;
            quote!(#p::DashboardClient { id: #id, secret_env: #secret_env, redirect_uri: #redirect_uri })
        }),
        &p,
    );
    let [head, middle, tail] = args.json();
    let (from, to): (Vec<_>, Vec<_>) = args.changes.iter().map(|change| (&change.from, &change.to)).unzip();
    // A service whose attribute has a mistake offers nothing, so that nothing is missing.
    let offered = (!broken).then_some(plans).into_iter().flatten().map(|plan| {
        let updateable = args.changes.iter().any(|change| change.from == *plan);
        let of = kept(plan);
        at(plan, quote!(#p::Offered::<#ident>::of::<#of>(#updateable)))
    });
    let changes = (!broken).then_some(&args.changes).into_iter().flatten().map(|Change { from, to }| {
        let (kept_from, kept_to) = (kept(from), kept(to));
        at(to, quote!(#p::OfferedChange::<#ident>::of::<#kept_from, #kept_to>()))
    });
    let plan_indices = 0..if broken { 0 } else { plans.len() };
    let change_indices: Vec<usize> = (0..if broken { 0 } else { args.changes.len() }).collect();
    let declared = if broken {
        quote!(#[automatically_derived] impl<From, To> #root::service::Changes<From, To> for #ident {})
    } else {
        quote!(#(#[automatically_derived] impl #root::service::Changes<#from, #to> for #ident {})*)
    };
    let checks = (!broken).then(|| checks(args, &name, &p));
    let implementation = item::implement(
        &quote!(#root::service::Service),
        ident,
        &quote! {
            const OFFERING: #p::Offering = __OFFERING;
            const PLANS: &'static [#p::Offered<#ident>] = __OFFERED;
            const CHANGES: &'static [#p::OfferedChange<#ident>] = __CHANGES;
            const JSON: &'static [#p::core::primitive::u8] = __JSON;
        },
    );
    quote! {
        const __OFFERED: &[#p::Offered<#ident>] = &[#(#offered),*];
        const __PLANS: &[#p::PlanInfo] = &[#(__OFFERED[#plan_indices].info),*];
        const __CHANGES: &[#p::OfferedChange<#ident>] = &[#(#changes),*];
        const __OFFERING: #p::Offering = #p::Offering {
            id: #id,
            name: #name,
            description: #description,
            display_name: #display_name,
            long_description: #long_description,
            documentation_url: #documentation_url,
            support_url: #support_url,
            image_url: #image_url,
            tags: &[#(#tags),*],
            instances_retrievable: #instances,
            bindings_retrievable: #bindings,
            allow_context_updates: #context,
            dashboard_client: #client,
            plans: __PLANS,
            changes: &[#(#p::PlanChange { from: __CHANGES[#change_indices].from, to: __CHANGES[#change_indices].to }),*],
            broken: #broken,
        };
        const __PARTS: #p::OfferingJson = #p::OfferingJson { head: #head, middle: #middle, tail: #tail };
        // The size of the catalog decides how long its evaluation takes.
        #[allow(long_running_const_eval)]
        const __JSON: &[#p::core::primitive::u8] = {
            const LEN: #p::core::primitive::usize = #p::measure_offering(&__OFFERING, &__PARTS);
            &#p::render_offering::<LEN>(&__OFFERING, &__PARTS)
        };
        #implementation
        #declared
        #checks
    }
}

/// The rules that need the plans' constants, each at the token that breaks it.
fn checks(args: &Args, name: &str, p: &TokenStream) -> TokenStream {
    let distinct = args.plans.iter().enumerate().skip(1).flat_map(|(i, plan)| {
        let these = quote!(&__PLANS[#i], __PLANS.split_at(#i).0);
        let distinct = quote!(#p::distinct_plan(#name, #these));
        let alike = quote!(#p::names_alike(#these));
        [item::check(plan, distinct), item::warn_if(plan, &alike, "two_plan_names_differ_in_case_only", p)]
    });
    let changes = args.changes.iter().map(|Change { from, to }| {
        let index = |plan| args.plans.iter().position(|other| other == plan);
        let (from, target) = (index(from), index(to));
        item::check(to, quote!(#p::check_change(&__PLANS[#from], &__PLANS[#target])))
    });
    let shows = args.plans.first().map(|plan| item::check(plan, quote!(#p::shows_a_plan(&__OFFERING))));
    let retrievable = args.bindings_retrievable_at.as_ref().map(|place| {
        if args.bindings_retrievable {
            let nothing = quote!(!#p::binds(&__OFFERING));
            item::warn_if(place, &nothing, "bindings_are_retrievable_but_no_plan_is_bindable", p)
        } else {
            item::check(place, quote!(#p::credentials_can_be_fetched(&__OFFERING)))
        }
    });
    quote!(#(#distinct)* #(#changes)* #shows #retrievable)
}
