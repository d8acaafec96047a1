//! The rules for the arguments of one `#[plan]`.
//!
//! They concern the values of single arguments, and arguments that exclude or require each other. Rules that need other
//! items are decided in constants, by `osb-catalog`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Fields, Generics, ItemStruct, Meta, PathArguments, Type};

use super::{
    asynchronous::Asynchronous, maintenance::Maintenance, metadata::PlanMetadata, narrow::Narrow, parse::RawPlan,
    polling::PollingDuration,
};
use crate::{
    args::{Flag, Given, TypeName},
    errors::{Errors, Report},
    item::{self, Identity},
    metadata,
    runtime::Runtime,
};

/// A plan without mistakes.
pub(super) struct Plan {
    pub(super) runtime: Runtime,
    pub(super) ident: Ident,
    pub(super) identity: Identity,
    pub(super) description: String,
    pub(super) free: bool,
    pub(super) types: Types,
    pub(super) narrow: Option<Narrow>,
    pub(super) bindable: bool,
    pub(super) rotatable: bool,
    pub(super) requires_app: bool,
    pub(super) retired: bool,
    pub(super) asynchronous: Asynchronous,
    pub(super) polling: Option<PollingDuration>,
    pub(super) maintenance: Option<Maintenance>,
    pub(super) metadata: PlanMetadata,
    pub(super) extensions: String,
}

/// The types of the parameters. Handlers name them through the plan, so they count even if the plan has a mistake.
#[derive(Default)]
pub(super) struct Types {
    pub(super) create: Option<Type>,
    pub(super) update: Option<Type>,
    pub(super) bind: Option<Type>,
    /// The values of the plans of a family.
    pub(super) family: Option<Type>,
}

impl Types {
    /// The types of a plan that a mistake hides: each is `__Unknown`, see [`Fallback`].
    pub(super) fn unknown() -> Self {
        let [create, update, bind, family] = [(); 4].map(|()| Some(syn::parse_quote!(__Unknown)));
        Self { create, update, bind, family }
    }

    /// Fills in the types that are missing.
    fn or(self, other: Self) -> Self {
        Self {
            create: self.create.or(other.create),
            update: self.update.or(other.update),
            bind: self.bind.or(other.bind),
            family: self.family.or(other.family),
        }
    }
}

const FIELDS: &[&str] = &[
    "id",
    "name",
    "description",
    "metadata",
    "free",
    "bindable",
    "binding_rotatable",
    "plan_updateable",
    "schemas",
    "maximum_polling_duration",
    "maintenance_info",
];

/// The parts of a plan with mistakes that its uses name.
pub(super) struct Fallback {
    pub(super) runtime: Runtime,
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) types: Types,
    /// The type `__Unknown`, which stands for those that can't be read.
    pub(super) unknown: Option<TokenStream>,
}

/// Validates the arguments. `report` has the mistakes of earlier stages, too: each of them makes the plan a fallback.
pub(super) fn validate(
    raw: RawPlan,
    item: &ItemStruct,
    runtime: Runtime,
    report: &mut Report,
) -> Result<Plan, Box<Fallback>> {
    let identity = if raw.family.is_mentioned() {
        Identity::of_family(&item.ident, raw.id, raw.name, report)
    } else {
        Identity::validate("plan", &item.ident, raw.id, raw.name, report)
    };
    let description = item::description(item, raw.description, report);
    let (has_create, says_free) = (raw.create.is_mentioned(), raw.free.is_mentioned());
    // A mistake in one of these is reported already.
    let says_bindable = raw.bind.is_mentioned() || raw.bindable.is_wrong();
    let errors = &mut report.errors;
    let mut types = Types {
        create: parameters("create", raw.create, errors),
        update: parameters("update", raw.update, errors),
        bind: parameters("bind", raw.bind, errors),
        family: parameters("family", raw.family, errors),
    };
    let narrow = Narrow::validate(raw.narrow, has_create, errors);
    let free = raw.free.take(errors).map(|Flag(free)| free);
    let bindable = raw.bindable.take(errors).map(|Flag(set)| set);
    let rotatable = raw.rotatable.take_set(errors);
    let requires_app = raw.requires_app.take_set(errors);
    let retired = raw.retired.take_set(errors).is_some();
    let is_bindable = types.bind.is_some() || bindable.unwrap_or(false);
    let (asynchronous, bindings_at) = Asynchronous::validate(raw.asynchronous, errors);
    let polling = PollingDuration::validate(raw.maximum_polling_duration, &asynchronous, is_bindable, report);
    let maintenance = Maintenance::validate(raw.maintenance_info, report);
    let metadata = PlanMetadata::validate(raw.metadata, report);
    let extensions = metadata::extensions(FIELDS, raw.extensions, report);

    if let (Some(bind), Some(false)) = (&types.bind, bindable) {
        let message = "`bind` makes the plan bindable, which contradicts `bindable = false`";
        report.errors.help(bind, message, "drop one of them");
    }
    if !is_bindable && !says_bindable {
        let about_bindings = [
            ("rotatable", &rotatable),
            ("requires_app", &requires_app),
            ("asynchronous(bindings = ...)", &bindings_at),
        ];
        refuse_without_bindings(&item.ident, about_bindings, &mut report.errors);
    }
    if let (Some(costs), false) = (&metadata.costs_at, says_free) {
        let help = "write `free = false`, or `free = true` if that is meant: a platform can refuse paid plans to some of its users";
        report.errors.help(costs, "a plan with costs must set `free`; the default is `true` (CAT-34)", help);
    }
    // Fields may come from another mistake, such as `#[plan]` on parameters.
    if report.errors.is_empty() {
        refuse_fields(&item.fields, &mut report.errors);
    }
    report.report_missing("plan", &item.ident);
    let ident = item.ident.clone();
    let (Some(identity), Some(description), true) = (identity, description, report.errors.is_empty()) else {
        // The mistake may hide a type that seems to be missing.
        let unknown = report.errors.take_as_type();
        if unknown.is_some() {
            types = types.or(Types::unknown());
        }
        let generics = item::with_bounds(&item.generics);
        return Err(Box::new(Fallback { runtime, ident, generics, types, unknown }));
    };
    Ok(Plan {
        runtime,
        ident,
        identity,
        description,
        free: free.unwrap_or(true),
        types,
        narrow,
        bindable: is_bindable,
        rotatable: rotatable.is_some(),
        requires_app: requires_app.is_some(),
        retired,
        asynchronous,
        polling,
        maintenance,
        metadata,
        extensions,
    })
}

/// Returns a type of parameters. A wrapper of one is a mistake.
fn parameters(argument: &str, given: Given<TypeName>, errors: &mut Errors) -> Option<Type> {
    let TypeName(ty) = given.take(errors)?;
    let Type::Path(path) = &ty else { return Some(ty) };
    let last = path.path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(inner)
            if ["Option", "Box", "Vec", "Arc"].iter().any(|name| last.ident == name) =>
        {
            let inner = inner.args.to_token_stream();
            errors.help(
                &ty,
                "the parameters of a plan are a struct with `#[parameters]`, not a wrapper of one",
                format_args!(
                    "write `{argument} = {inner}`; a parameter that can be absent is an `Option` in the struct"
                ),
            );
            None
        }
        _ => Some(ty),
    }
}

/// Reports the arguments about bindings of a plan that is not bindable.
fn refuse_without_bindings(plan: &Ident, about_bindings: [(&str, &Option<Meta>); 3], errors: &mut Errors) {
    for (name, given) in about_bindings {
        if let Some(given) = given {
            errors.help(
                given,
                format_args!("`{name}` is about bindings, and plan `{plan}` is not bindable"),
                "add `bindable`, or `bind = Parameters` if bindings take parameters",
            );
        }
    }
}

fn refuse_fields(fields: &Fields, errors: &mut Errors) {
    if !fields.is_empty() {
        errors.help(
            fields,
            "a plan has no fields: the runtime never creates a value of it",
            "write what differs between plans as constants of a trait (`impl Quota for Gold { const SEATS: u32 = 50; }`), or write a `family`",
        );
    }
}
