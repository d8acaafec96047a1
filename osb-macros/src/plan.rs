//! `#[plan]`: what one plan says of itself.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemStruct;

mod asynchronous;
mod maintenance;
mod polling;
mod write;

use self::{asynchronous::Asynchronous, maintenance::Maintenance, polling::PollingDuration, write::write};
use crate::{
    args::{Arguments, Text, TypeName},
    item,
    metadata::{self, Metadata},
    rules::Report,
    runtime::Runtime,
};

const HINTS: &[(&str, &str)] = &[
    ("plan_updateable", "whether a plan can be left follows from the service's `changes(From => To)`"),
    ("binding_rotatable", "write `rotatable`"),
    ("schemas", "schemas follow from the types: `create = ...`, `update = ...`, `bind = ...`"),
    ("title", "the name for people is `metadata(display_name = \"...\")`"),
    ("display_name", "it belongs into `metadata(display_name = \"...\")`"),
    ("bullets", "they belong into `metadata(bullets(\"...\"))`"),
    ("costs", "they belong into `metadata(costs((usd = 9.90, unit = \"MONTHLY\")))`"),
    ("requires", "it follows from the output type of `Bind`"),
    ("tags", "tags are the service's"),
    ("async", "write `asynchronous(instances = always)`, `asynchronous(bindings = always)` or both"),
    ("synchronous", "write `asynchronous(instances = never)`, `asynchronous(bindings = never)` or both"),
];

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

/// What was written, as far as it could be read.
struct Args {
    runtime: Runtime,
    id: Option<Text>,
    name: Option<Text>,
    description: Option<String>,
    free: bool,
    create: Option<TypeName>,
    update: Option<TypeName>,
    bind: Option<TypeName>,
    bindable: bool,
    rotatable: bool,
    requires_app: bool,
    retired: bool,
    asynchronous: Asynchronous,
    polling: Option<PollingDuration>,
    maintenance: Option<Maintenance>,
    metadata: Metadata,
    extensions: String,
}

pub(crate) fn expand(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(item) = item::structure("plan", &tokens, &mut report.errors) else {
        let errors = report.errors.into_tokens();
        return quote!(#tokens #errors);
    };
    let nameable = item::no_generics("plan", &item.generics, &mut report.errors);
    let args = read(args, &item, &mut report);
    let implementation = nameable.then(|| write(&args, &item.ident, !report.errors.is_empty()));
    let (warnings, allow) = (report.warnings, item::lint_levels(&item.attrs));
    let errors = report.errors.into_tokens();
    quote! {
        #tokens
        #allow
        const _: () = { #implementation #warnings };
        #errors
    }
}

fn read(tokens: TokenStream, item: &ItemStruct, report: &mut Report) -> Args {
    let mut args = Arguments::parse(tokens, &mut report.errors);
    let runtime = Runtime::from_args(&mut args, &mut report.errors);
    let id: Option<Text> = args.get("id", &mut report.errors);
    let name: Option<Text> = args.get("name", &mut report.errors);
    item::identity("plan", &item.ident, &mut args, id.as_ref(), name.as_ref(), report);
    let description = item::description("plan", item, &mut args, report);
    let errors = &mut report.errors;
    let free = args.flag("free", errors);
    let create: Option<TypeName> = args.get("create", errors);
    let update: Option<TypeName> = args.get("update", errors);
    let bind: Option<TypeName> = args.get("bind", errors);
    let bindable = args.flag("bindable", errors);
    let rotatable_at = args.find("rotatable").cloned();
    let rotatable = args.flag("rotatable", errors).unwrap_or(false);
    let requires_app_at = args.find("requires_app").cloned();
    let requires_app = args.flag("requires_app", errors).unwrap_or(false);
    let retired = args.flag("retired", errors).unwrap_or(false);
    let is_bindable = bind.is_some() || bindable.unwrap_or(false);
    let asynchronous = Asynchronous::read(&mut args, report);
    let polling = PollingDuration::read(&mut args, &asynchronous, is_bindable, report);
    let maintenance = Maintenance::read(&mut args, report);
    let metadata = Metadata::of_plan(&mut args, report);
    let extensions = metadata::extensions("a plan", FIELDS, &mut args, report);
    args.no_members("a plan", &mut report.errors);

    if let (Some(TypeName(bind)), Some(false)) = (&bind, bindable) {
        report.errors.help(
            bind,
            "`bind` says that the plan is bindable, `bindable = false` that it is not",
            "drop one of them",
        );
    }
    let about_bindings = [
        (&rotatable_at, rotatable, "rotatable"),
        (&requires_app_at, requires_app, "requires_app"),
        (&asynchronous.bindings_at, asynchronous.bindings_at.is_some(), "asynchronous(bindings = ...)"),
    ];
    for (at, set, name) in about_bindings {
        // A wrong `bind` is reported already.
        if set && !is_bindable && !args.mentions("bind") {
            report.errors.help(
                at,
                format_args!("`{name}` is about bindings, and plan `{}` is not bindable", item.ident),
                "add `bindable`, or `bind = Parameters` if bindings take parameters",
            );
        }
    }
    if let Some(costs) = &metadata.costs_at
        && free.is_none_or(|free| free)
    {
        report.warn(
            costs,
            "a_free_plan_has_costs",
            "the plan has costs but does not say `free = false`, so platforms take it to cost nothing (CAT-34)",
        );
    }
    args.finish("`#[plan]`", HINTS, &mut report.errors);
    Args {
        runtime,
        id,
        name,
        description,
        free: free.unwrap_or(true),
        create,
        update,
        bind,
        bindable: is_bindable,
        rotatable,
        requires_app,
        retired,
        asynchronous,
        polling,
        maintenance,
        metadata,
        extensions,
    }
}
