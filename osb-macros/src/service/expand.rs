//! The expansion of a valid `#[service]`: the offering as constants, and the one place that requires everything that it
//! promises.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, Path};

use super::{changes::Change, dashboard_client::DashboardClient, validate::Service};
use crate::{
    code,
    item::Identity,
    json::quoted,
    runtime::Runtime,
    spans::{preserve_spans, respan},
};

impl Service {
    /// The parts of the offering's JSON that its own tokens decide.
    fn json(&self) -> [String; 3] {
        let tags = self.tags.iter().map(|tag| quoted(&tag.value())).collect::<Vec<_>>().join(",");
        let tags = if tags.is_empty() { tags } else { format!(",\"tags\":[{tags}]") };
        let Identity { id, name } = &self.identity;
        let (name, id, description) = (quoted(name), quoted(id), quoted(&self.description));
        let head = format!("{{\"name\":{name},\"id\":{id},\"description\":{description}{tags}");
        let client = self.dashboard_client.as_ref().map(|DashboardClient { id, redirect_uri, .. }| {
            // The secret comes from the environment when the program starts.
            format!(
                ",\"dashboard_client\":{{\"id\":{},\"redirect_uri\":{}}}",
                quoted(id),
                quoted(&redirect_uri.value())
            )
        });
        [head, self.metadata.json.clone() + &client.unwrap_or_default(), self.extensions.clone()]
    }

    pub(super) fn expand(&self, shareable: &TokenStream) -> TokenStream {
        let Self { ident, plans, .. } = self;
        let (root, p) = (self.runtime.root(), self.runtime.private());
        let offered = plans.iter().map(|plan| {
            let updateable = self.changes.iter().any(|change| change.from == *plan);
            let of = preserve_spans(plan);
            respan(plan, quote!(#p::Offered::<__Shared>::of::<__IfHandled<#of>>(#updateable)))
        });
        let changes = self.changes.iter().enumerate().map(|(index, Change { from, to })| {
            let (old, new, possible) = (preserve_spans(from), preserve_spans(to), change_possible(index));
            let old = quote!(<#old as #p::Checked<{ #possible }>>::Itself);
            respan(to, quote!(#p::OfferedChange::<__Shared>::of::<#old, #new>()))
        });
        let change_requirements =
            self.changes.iter().enumerate().map(|(index, change)| self.change_requirements(index, change, &p));
        let (count, plan_indices) = (plans.len(), 0..plans.len());
        let offering = self.offering(&p);
        let (catalog_checks, declared) = (self.catalog_checks(&p), self.declared_changes());
        let offers = offers(&self.runtime, plans);
        let plan_requirements = plans.iter().enumerate().map(|(index, plan)| self.plan_requirements(index, plan, &p));
        let handler_requirements = self.handler_requirements(&p);
        let described = code::implement(&quote!(#p::HasServiceAttribute), ident, &TokenStream::new());
        // A service lacks the handlers of a plan of another one: that is the same mistake.
        let offered_once = code::offered_once(&self.runtime);
        let implementation = code::implement(
            &quote!(#root::service::Service),
            ident,
            &quote! {
                const OFFERING: #p::Offering = __OFFERING;
                const JSON: &'static [#p::core::primitive::u8] = __JSON;
                const IS_SHAREABLE: #p::core::primitive::bool = #shareable;
                const HAS_HANDLERS: #p::core::primitive::bool = __HANDLERS;
                fn handlers() -> (&'static [#p::Offered<#ident>], &'static [#p::OfferedChange<#ident>]) {
                    (&__OFFERED, __CHANGES)
                }
            },
        );
        quote! {
            type __Shared =
                <#ident as #p::Checked<{ <#ident as #root::service::Service>::IS_SHAREABLE && #offered_once }>>::Itself;
            // Statics, because the compiler validates them without the other statics that they refer to.
            static __OFFERED: [#p::Offered<#ident>; #count] = [#(#offered),*];
            static __PLANS: [#p::PlanInfo; #count] = [#(__OFFERED[#plan_indices].info),*];
            #(#change_requirements)*
            const __CHANGES: &[#p::OfferedChange<#ident>] = &[#(#changes),*];
            const __LISTED_COUNT: #p::core::primitive::usize = #p::count_plans(&__PLANS, false);
            static __LISTED: [#p::PlanInfo; __LISTED_COUNT] = #p::select_plans(&__PLANS, false);
            static __FAMILIES: [#p::PlanInfo; #count - __LISTED_COUNT] = #p::select_plans(&__PLANS, true);
            #offering
            #implementation
            #described
            #declared
            #catalog_checks
            #offers
            use #p::Fallback as _;
            struct __Nothing<const INDEX: #p::core::primitive::usize>;
            #(#plan_requirements)*
            #handler_requirements
        }
    }

    /// Writes the constants of the offering and of its JSON.
    fn offering(&self, p: &TokenStream) -> TokenStream {
        let Self { identity: Identity { id, name }, description, tags, .. } = self;
        let optional = |value: &Option<String>| code::option(value.as_ref(), p);
        let display_name = optional(&self.metadata.display_name);
        let long_description = optional(&self.metadata.long_description);
        let documentation_url = optional(&self.metadata.documentation_url);
        let support_url = optional(&self.metadata.support_url);
        let image_url = optional(&self.metadata.image_url);
        let (instances, bindings, context) =
            (self.instances_retrievable, self.bindings_retrievable, self.allow_context_updates);
        let client = code::option(
            self.dashboard_client.as_ref().map(|DashboardClient { id, secret_env, redirect_uri }| {
                quote!(#p::DashboardClient { id: #id, secret_env: #secret_env, redirect_uri: #redirect_uri })
            }),
            p,
        );
        let [head, middle, tail] = self.json();
        let change_indices = 0..self.changes.len();
        let plan_changes =
            change_indices.map(|i| quote!(#p::PlanChange { from: __CHANGES[#i].from, to: __CHANGES[#i].to }));
        quote! {
            static __OFFERING: #p::Offering = #p::Offering {
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
                plans: &__LISTED,
                families: &__FAMILIES,
                changes: &[#(#plan_changes),*],
            };
            const __PARTS: #p::OfferingJson = #p::OfferingJson { head: #head, middle: #middle, tail: #tail };
            // The size of the catalog decides how long its evaluation takes.
            #[allow(long_running_const_eval)]
            const __JSON: &[#p::core::primitive::u8] = {
                const LEN: #p::core::primitive::usize = #p::measure_offering(&__OFFERING, &__PARTS);
                &#p::render_offering::<LEN>(&__OFFERING, &__PARTS)
            };
        }
    }

    fn declared_changes(&self) -> TokenStream {
        let (root, p) = (self.runtime.root(), self.runtime.private());
        self.changes
            .iter()
            .map(|Change { from, to }| {
                let changes = quote!(#root::service::Changes<__Old, __New>);
                let declared = code::implement(&changes, &self.ident, &code::declared(&p));
                // The compiler would take an unknown type in the header for a type parameter.
                quote!(const _: () = { type __Old = #from; type __New = #to; #declared };)
            })
            .collect()
    }

    /// Requires the handler of a change of plan; a plan that changes to itself has to be a family. Where the handler is
    /// missing, the reverse change counts as declared: a handler with the two plans swapped is the same mistake. So do the changes
    /// to other plans where a plan can't change to itself.
    fn change_requirements(&self, index: usize, Change { from, to }: &Change, p: &TokenStream) -> TokenStream {
        let (ident, possible) = (&self.ident, change_possible(index));
        let (old, new) = (preserve_spans(from), preserve_spans(to));
        // The change probably needs the same trait that the plan lacks for its `Provision`.
        let plans = self.plans.iter().enumerate().filter(|(_, plan)| [from, to].contains(plan));
        let provisioned = plans.map(|(index, _)| provisioned(index));
        let service = quote!(<#ident as #p::Checked<{ true #(&& #provisioned)* }>>::Itself);
        let required = if from == to {
            quote!(#p::is_family::<#new>())
        } else {
            quote!(#p::changes_plan::<#service, #old, #new>())
        };
        let required = respan(to, required);
        let is_declared = |old: &Path, new: &Path| self.changes.iter().any(|one| one.from == *old && one.to == *new);
        let meant = self.plans.iter().filter(|plan| if from == to { *plan != to } else { *plan == from });
        let meant = meant.filter(|plan| !is_declared(to, plan)).map(|plan| {
            let missing = quote!(<__Nothing<#index> as #p::Checked<{ #possible }>>::Itself);
            quote!(impl #p::ChangeFallback<#missing, #to, #plan> for #ident {})
        });
        quote! {
            const #possible: #p::core::primitive::bool = #required;
            #(#meant)*
        }
    }

    /// Requires the attribute of a plan and its `Provision`. Where one is missing, implementations that the other handlers
    /// need take its place.
    fn plan_requirements(&self, index: usize, plan: &Path, p: &TokenStream) -> TokenStream {
        let (ident, of) = (&self.ident, preserve_spans(plan));
        let (is_plan, provisioned) = (is_plan(index), provisioned(index));
        let bool = quote!(#p::core::primitive::bool);
        let has_attribute = respan(plan, quote!(#p::is_plan::<#of>()));
        let annotated = format_ident!("__IfPlan{index}");
        let has_provision = respan(plan, quote!(#p::provisions::<__IfDistinct, #annotated<#of>>()));
        let (provisions, nothing) = (quote!(#p::Probe::<#ident, #plan>::PROVISIONS), quote!(__Nothing<#index>));
        quote! {
            const #is_plan: #bool = #has_attribute;
            const #provisioned: #bool = #has_provision;
            type #annotated<T> = <T as #p::Checked<{ #is_plan }>>::Itself;
            impl #p::PlanFallback<#annotated<#nothing>> for #plan {
                type Unknown = #annotated<#p::NoParameters>;
            }
            impl #p::InstanceState<
                <#nothing as #p::FallbackFor<#plan, { #provisions }>>::Argument,
                // It has an error, too, where the plan is a type with an error.
                { _ = #provisions; __IS_SINGLE },
            > for #ident {
                type State = [(); #provisioned as #p::core::primitive::usize];
            }
        }
    }

    /// Requires the handlers of each plan. Where one is missing, the plans count as services and the service as a plan: of
    /// `impl Bind<Service> for Plan`, the missing handler is then the only error.
    fn handler_requirements(&self, p: &TokenStream) -> TokenStream {
        let Self { ident, plans, .. } = self;
        let required = plans.iter().enumerate().map(|(index, plan)| {
            let (of, provisioned) = (preserve_spans(plan), provisioned(index));
            respan(plan, quote!(#p::has_handlers::<__Shared, <#of as #p::Checked<{ #provisioned }>>::Itself>()))
        });
        let swapped = plans.iter().enumerate().map(|(index, plan)| {
            let is_there = quote!({ #p::Probe::<#plan, #ident>::PROVISIONS || #p::Probe::<#ident, #plan>::HANDLES });
            quote! {
                impl #p::InstanceState<<__Nothing<#index> as #p::FallbackFor<#ident, #is_there>>::Argument> for #plan {
                    type State = __IfHandled<()>;
                }
                impl #p::ServiceFallback<__IfHandled<__Nothing<#index>>, { __HANDLERS as #p::u64 }> for #plan {}
            }
        });
        let (count, plan_indices) = (plans.len(), (0..plans.len()).map(is_plan));
        let root = self.runtime.root();
        // The compiler then reports only that a plan has two implementations, or two services.
        let once = quote!(<#p::Once as #root::service::Provision<#p::Once>>::STATE_VERSION == 0);
        let offered_once = code::offered_once(&self.runtime);
        // Each constant among the arguments of a type is compiled for itself, so these types name them once.
        quote! {
            // With an error among its arguments, an implementation conflicts with no other one.
            const __IS_SINGLE: #p::core::primitive::bool = #once && #offered_once;
            type __IfDistinct = <#ident as #p::Checked<__IS_SINGLE>>::Itself;
            type __IfHandled<T> = <T as #p::Checked<{ __HANDLERS }>>::Itself;
            // Where the list has a type that isn't a plan, a plan that should be there lacks a service.
            impl #p::OfferFallback<__Nothing<#count>>
                for <__Nothing<#count> as #p::Checked<{ true #(&& #plan_indices)* }>>::Itself {}
            const __HANDLERS: #p::core::primitive::bool = true #(&& #required)*;
            impl #p::PlanFallback<__IfHandled<__Nothing<#count>>> for #ident {
                type Unknown = __IfHandled<#p::NoParameters>;
            }
            #(#swapped)*
        }
    }

    /// Writes the checks that need the plans' constants, each at the token that it is about.
    fn catalog_checks(&self, p: &TokenStream) -> TokenStream {
        let name = &self.identity.name;
        let distinct = self.plans.iter().enumerate().skip(1).flat_map(|(i, plan)| {
            let this_and_earlier = quote!(&__PLANS[#i], __PLANS.split_at(#i).0);
            let distinct = quote!(#p::check_plan(#name, #this_and_earlier));
            let alike = quote!(#p::names_alike(#this_and_earlier));
            let distinct = code::check_if(&code::offered_once(&self.runtime), plan, distinct);
            [distinct, code::warn_if(plan, &alike, "two_plan_names_differ_in_case_only", p)]
        });
        let changes = self.changes.iter().map(|Change { from, to }| {
            let index = |plan| self.plans.iter().position(|other| other == plan);
            let (old, new) = (index(from), index(to));
            code::check(to, quote!(#p::check_change(&__PLANS[#old], &__PLANS[#new])))
        });
        let shows =
            self.plans.first().map(|plan| code::check(plan, quote!(#p::check_first_plan(&__OFFERING, &__PLANS[0]))));
        let retrievable = self.bindings_retrievable_at.as_ref().map(|argument| {
            if self.bindings_retrievable {
                let binds_nothing = quote!(!#p::has_bindable_plan(&__OFFERING));
                code::warn_if(argument, &binds_nothing, "bindings_are_retrievable_but_no_plan_is_bindable", p)
            } else {
                code::check(argument, quote!(#p::check_retrievable_credentials(&__OFFERING)))
            }
        });
        let redirect = self.dashboard_client.iter().map(|client| ("redirect_uri", &client.redirect_uri));
        let urls = self.metadata.urls.iter().map(|(name, url)| (*name, url)).chain(redirect);
        let urls = urls.map(|(name, url)| code::check(url, quote!(#p::check_url(#name, #url))));
        quote!(#(#distinct)* #(#changes)* #shows #retrievable #(#urls)*)
    }
}

/// The name of the constant that requires the attribute of a plan.
fn is_plan(index: usize) -> Ident {
    format_ident!("__IS_PLAN_{index}")
}

/// The name of the constant that requires the `Provision` of a plan.
fn provisioned(index: usize) -> Ident {
    format_ident!("__PROVISIONED_{index}")
}

/// The name of the constant that requires the handler of a change of plan.
fn change_possible(index: usize) -> Ident {
    format_ident!("__CHANGES_{index}")
}

/// Declares that a service offers these plans, which each plan requires.
pub(super) fn offers(runtime: &Runtime, plans: &[Path]) -> TokenStream {
    let (root, p) = (runtime.root(), runtime.private());
    let offers = plans.iter().map(|plan| {
        let of = preserve_spans(plan);
        let offer = respan(plan, quote!(impl #root::service::OfferedByOneService for #of { type Offered = #p::Yes; }));
        quote! {
            #[automatically_derived]
            #offer
        }
    });
    offers.collect()
}
