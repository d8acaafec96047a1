//! The expansion of a valid `#[plan]`: the plan as a constant, and markers of its promises.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Generics, Ident, Type};

use super::{
    narrow::Narrow,
    polling::PollingDuration,
    validate::{Plan, Types},
};
use crate::{
    code, item,
    json::quoted,
    runtime::Runtime,
    spans::{preserve_spans, respan},
};

impl Plan {
    /// The parts of the plan's JSON that its own tokens decide.
    fn json(&self) -> (String, String) {
        let head = format!(
            "{{\"id\":{},\"name\":{},\"description\":{}{},\"free\":{}",
            quoted(&self.identity.id),
            quoted(&self.identity.name),
            quoted(&self.description),
            self.metadata.json,
            self.free,
        );
        let polling = self.polling.as_ref().map(|PollingDuration(s)| format!(",\"maximum_polling_duration\":{s}"));
        let maintenance = self.maintenance.as_ref().map(|info| format!(",\"maintenance_info\":{}", info.json()));
        (head, polling.unwrap_or_default() + &maintenance.unwrap_or_default() + &self.extensions)
    }

    pub(super) fn expand(&self) -> TokenStream {
        let (ident, name) = (&self.ident, &self.identity.name);
        let (root, p) = (self.runtime.root(), self.runtime.private());
        let (bindable, rotatable) = (self.bindable, self.rotatable);
        let updatable = self.types.update.is_some() || self.maintenance.is_some();
        let mode = |set: bool| if set { quote!(#p::Yes) } else { quote!(#p::No) };
        let narrower =
            self.narrow.as_ref().map(|narrow| narrow.constants(name, &quote!(<#ident as #root::service::Plan>), &p));
        let constants = self.narrow.as_ref().map(|_| Narrow::of_plan(&p));
        let spec = self.spec(&p);
        let spec = quote!(const SPEC: #p::PlanSpec = #spec; #constants);
        let none = Generics::default();
        let (are_parameters, types) = self.checked_types(&p);
        let implementation =
            implementation(&self.runtime, ident, &none, &types, &mode(bindable), &mode(updatable), &spec);
        let is_family = self.types.family.is_some();
        let traits =
            [("Bindable", bindable), ("Rotatable", rotatable), ("Updatable", updatable), ("Family", is_family)];
        let declarations =
            traits.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| declare(name, &self.runtime, ident, &none));
        let update_check = self.types.update.as_ref().map(|update| {
            let of_plan = quote!(<#ident as #root::service::Plan>);
            let schemas = quote!([#of_plan::UPDATE_SCHEMA, #of_plan::CREATE_SCHEMA]);
            let requires = self.update_requires(&quote!(#of_plan::Update), &schemas, &p);
            code::warn_if(update, &requires, "an_update_requires_parameters", &p)
        });
        let once = code::offered_once(&self.runtime);
        let plan = quote!(<#ident as #p::Checked<{ #once }>>::Itself);
        let is_offered = quote!(#p::is_offered::<#plan, { #p::Probe::<(), #ident>::IS_OFFERED }, _>());
        let is_offered = code::check(ident, is_offered);
        quote!(#are_parameters #narrower #implementation #(#declarations)* #update_check use #p::Fallback as _; #is_offered)
    }

    fn spec(&self, p: &TokenStream) -> TokenStream {
        let Self { identity: item::Identity { id, name }, description, .. } = self;
        let display_name = code::option(self.metadata.display_name.as_ref(), p);
        let (bullets, costs) = (&self.metadata.bullets, &self.metadata.costs);
        let (free, bindable, rotatable) = (self.free, self.bindable, self.rotatable);
        let (requires_app, retired) = (self.requires_app, self.retired);
        let asynchronous = self.asynchronous.tokens(p);
        let polling = code::option(self.polling.as_ref().map(|PollingDuration(seconds)| seconds), p);
        let maintenance = code::option(
            self.maintenance.as_ref().map(|info| {
                let (version, description) = (&info.version, code::option(info.description.as_ref(), p));
                quote!(#p::Maintenance { version: #version, description: #description })
            }),
            p,
        );
        let (head, tail) = self.json();
        quote! {
            #p::PlanSpec {
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
                hashes: #p::Hashes::of(#id, #name),
                json: #p::PlanJson { head: #head, tail: #tail },
            }
        }
    }

    /// Writes the check of the update parameters against those of a create; its value says whether an update requires some.
    fn update_requires(&self, update: &impl ToTokens, schemas: &TokenStream, p: &TokenStream) -> TokenStream {
        let name = &self.identity.name;
        quote!(<#update as #p::ParametersTrait>::IS_KNOWN && #p::check_update_parameters(#name, #schemas))
    }

    /// Writes a constant for each type, which requires that it is parameters, and returns types that depend on these constants:
    /// where one has an error, handlers that use a field of its type have no other. The update parameters fit those of a create,
    /// too, unless the plan narrows them: its schemas depend on its types.
    fn checked_types(&self, p: &TokenStream) -> (TokenStream, Types) {
        let mut constants = TokenStream::new();
        let mut checked = |ty: &Option<Type>, name: &str| {
            let (ty, name) = (ty.as_ref()?, Ident::new(name, Span::call_site()));
            let (of, bool) = (preserve_spans(ty), quote!(#p::core::primitive::bool));
            let mut is_parameters = respan(ty, quote!(#p::is_parameters::<#of>()));
            if name != "__UPDATE_IS_PARAMETERS" {
                let is_complete = quote!({ #p::has_no_change(&<__Parameters as #p::ParameterTrait>::SCHEMA) });
                let is_complete = respan(ty, quote!(#p::is_complete::<__Parameters, #is_complete>()));
                is_parameters = quote!({
                    const __IS_PARAMETERS: #bool = #is_parameters;
                    type __Parameters = <#of as #p::Checked<{ __IS_PARAMETERS }>>::Itself;
                    #is_complete
                });
            }
            constants.extend(quote!(const #name: #bool = #is_parameters;));
            syn::parse2(respan(ty, quote!(<#of as #p::Checked<{ #name }>>::Itself))).ok()
        };
        let Types { create, update, bind, family } = &self.types;
        let mut types = Types {
            create: checked(create, "__CREATE_IS_PARAMETERS"),
            update: checked(update, "__UPDATE_IS_PARAMETERS"),
            bind: checked(bind, "__BIND_IS_PARAMETERS"),
            family: checked(family, "__FAMILY_IS_PARAMETERS"),
        };
        if let (None, Some(update), Some(at)) = (&self.narrow, &mut types.update, update) {
            let no_parameters = syn::parse_quote!(#p::NoParameters);
            let [of, create] = [&*update, types.create.as_ref().unwrap_or(&no_parameters)].map(preserve_spans);
            let schemas = [&of, &create].map(|of| quote!(&<#of as #p::ParameterTrait>::SCHEMA));
            let requires = self.update_requires(&of, &quote!([#(#schemas),*]), p);
            let fits = respan(at, quote!(<#of as #p::Checked<{ _ = #requires; true }>>::Itself));
            constants.extend(quote!(type __Update = #fits;));
            *update = Type::Verbatim(respan(at, quote!(__Update)));
        }
        (constants, types)
    }
}

/// Implements the trait called `name`, which says that the attribute declares something.
pub(super) fn declare(name: &str, runtime: &Runtime, ident: &Ident, generics: &Generics) -> TokenStream {
    let (root, p, name) = (runtime.root(), runtime.private(), Ident::new(name, Span::call_site()));
    code::implement_generic(&quote!(#root::service::#name), ident, generics, &code::declared(&p))
}

/// Writes `impl Plan`; `binding` and `updating` are the types that say whether handlers are required, `spec` the constants
/// of the attribute.
pub(super) fn implementation(
    runtime: &Runtime,
    ident: &Ident,
    generics: &Generics,
    types: &Types,
    binding: &TokenStream,
    updating: &TokenStream,
    spec: &TokenStream,
) -> TokenStream {
    let (root, p) = (runtime.root(), runtime.private());
    let no_parameters = syn::parse_quote!(#root::schema::NoParameters);
    let types =
        [("Create", &types.create), ("Update", &types.update), ("Bind", &types.bind), ("Family", &types.family)];
    let given = types.iter().filter(|(_, ty)| ty.is_some()).map(|(name, _)| {
        let name = format_ident!("HAS_{}", name.to_uppercase());
        quote!(const #name: #p::core::primitive::bool = true;)
    });
    let types = types.iter().map(|(name, ty)| {
        let (name, ty) = (Ident::new(name, Span::call_site()), ty.as_ref().unwrap_or(&no_parameters));
        let of = preserve_spans(ty);
        // The compiler reports a private type of a public plan here.
        respan(ty, quote!(type #name = #of;))
    });
    let attributed = code::implement_generic(&quote!(#p::HasPlanAttribute), ident, generics, &TokenStream::new());
    let plan = code::implement_generic(
        &quote!(#root::service::Plan),
        ident,
        generics,
        &quote! {
            #(#types)*
            type Binding = #binding;
            type Updating = #updating;
            #spec
            #(#given)*
        },
    );
    quote!(#plan #attributed)
}
