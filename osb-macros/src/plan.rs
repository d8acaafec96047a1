//! `#[plan]`: what one plan says of itself.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Ident, ItemStruct};

mod waiting;

use self::waiting::{Asynchronous, PollingDuration};
use crate::{
    args::{Arguments, Text, TypeName},
    item,
    json::quoted,
    metadata::{self, Metadata},
    rules::{self, Report},
    runtime::Runtime,
    spans::at,
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

struct Maintenance {
    version: String,
    description: Option<String>,
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
    let maintenance = maintenance(&mut args, report);
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

/// `maintenance_info(version = "...", description = "...")`, CAT-40.
fn maintenance(args: &mut Arguments, report: &mut Report) -> Option<Maintenance> {
    let (at, mut args) = args.nested("maintenance_info", &mut report.errors)?;
    let version: Option<Text> = args.get("version", &mut report.errors);
    let description: Option<Text> = args.get("description", &mut report.errors);
    for (key, _) in args.members.drain(..) {
        report.errors.help(
            &key,
            "`maintenance_info` has no extension fields",
            "Cloud Foundry refuses a catalog that has them; put it into the plan's `extensions` (CAT-40)",
        );
    }
    let given = args.mentions("version");
    args.finish("`maintenance_info`", &[], &mut report.errors);
    let Some(version) = version else {
        if !given {
            report.errors.help(
                at,
                "`maintenance_info` needs a version",
                "write `maintenance_info(version = \"1.0.0\")` (CAT-40)",
            );
        }
        return None;
    };
    rules::semver(&version, report);
    let info = Maintenance { version: version.value(), description: description.as_ref().map(Text::value) };
    let characters = info.json().chars().count();
    if let Some(text) = &description {
        if characters > 2000 {
            report.errors.help(
                text,
                format_args!("`maintenance_info` has {characters} characters of JSON"),
                "Cloud Foundry takes at most 2000; write a shorter description",
            );
        } else {
            rules::length(&text.0, report);
        }
    }
    Some(info)
}

impl Maintenance {
    fn json(&self) -> String {
        let description = self.description.as_ref().map(|text| format!(",\"description\":{}", quoted(text)));
        format!("{{\"version\":{}{}}}", quoted(&self.version), description.unwrap_or_default())
    }
}

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

fn write(args: &Args, ident: &Ident, broken: bool) -> TokenStream {
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
