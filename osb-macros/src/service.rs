//! `#[service]`: one offering, and the one place where everything that it promises is asked for.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Ident, ItemStruct, LitStr, Meta, Path};

use crate::{
    args::{Arguments, Text, split_at_commas},
    item,
    json::quoted,
    metadata::{self, Metadata, Strings},
    rules::{self, Report},
    runtime::Runtime,
};

const HINTS: &[(&str, &str)] = &[
    ("plan_updateable", "it follows from `changes(From => To)` (and the specification does spell it with that e)"),
    ("bindable", "it follows from the plans: `#[plan(..., bindable)]` or `#[plan(..., bind = Parameters)]`"),
    ("requires", "it follows from the output type of `Bind`: `LogDrain`, `RouteService`, `VolumeMounts`"),
    ("schemas", "schemas follow from the plans' parameter types"),
    ("binding_rotatable", "it is a plan's: `#[plan(..., rotatable)]`"),
    ("maintenance_info", "it is a plan's: `#[plan(..., maintenance_info(version = \"...\"))]`"),
    ("display_name", "it belongs into `metadata(display_name = \"...\")`"),
    ("image_url", "it belongs into `metadata(image_url = \"...\")`"),
    ("long_description", "it belongs into `metadata(long_description = \"...\")`"),
    ("documentation_url", "it belongs into `metadata(documentation_url = \"...\")`"),
    ("support_url", "it belongs into `metadata(support_url = \"...\")`"),
    ("shareable", "it belongs into `metadata(shareable)`"),
];

const FIELDS: &[&str] = &[
    "name",
    "id",
    "description",
    "tags",
    "requires",
    "bindable",
    "instances_retrievable",
    "bindings_retrievable",
    "allow_context_updates",
    "metadata",
    "dashboard_client",
    "plan_updateable",
    "plans",
];

/// What was written, as far as it could be read.
struct Args {
    runtime: Runtime,
    id: Option<Text>,
    name: Option<Text>,
    description: Option<String>,
    tags: Vec<LitStr>,
    plans: Vec<Path>,
    /// The plans, and what else was taken for one: none of them lacks a service.
    mentioned: Vec<Path>,
    changes: Vec<Change>,
    metadata: Metadata,
    dashboard_client: Option<DashboardClient>,
    instances_retrievable: bool,
    bindings_retrievable: bool,
    /// The author's own `bindings_retrievable = true`, which deserves a warning where nothing is bindable.
    bindings_retrievable_at: Option<Meta>,
    allow_context_updates: bool,
    extensions: String,
}

/// `From => To`
struct Change {
    from: Path,
    to: Path,
}

struct DashboardClient {
    id: String,
    secret_env: String,
    redirect_uri: String,
}

pub(crate) fn expand(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(item) = item::structure("service", &tokens, &mut report.errors) else {
        let mut args = Arguments::parse(args, &mut report.errors);
        let runtime = Runtime::from_args(&mut args, &mut report.errors);
        let plans = plans(&mut args, None, &mut Report::default());
        let offers = offers(&runtime, &plans);
        let errors = report.errors.into_tokens();
        return quote!(#tokens #offers #errors);
    };
    let nameable = item::no_generics("service", &item.generics, &mut report.errors);
    let args = read(args, &item, &mut report);
    let offers = offers(&args.runtime, &args.mentioned);
    let implementation = nameable.then(|| write(&args, &item.ident, !report.errors.is_empty()));
    let (warnings, allow) = (report.warnings, item::lint_levels(&item.attrs));
    let errors = report.errors.into_tokens();
    quote! {
        #tokens
        #allow
        const _: () = { #implementation #offers #warnings };
        #errors
    }
}

/// That a service offers these plans; a plan asks for that.
fn offers(runtime: &Runtime, plans: &[Path]) -> TokenStream {
    let (root, p) = (runtime.root(), runtime.private());
    let offers = plans.iter().map(|plan| {
        let kept = item::kept(plan);
        let offer = item::at(plan, quote!(impl #root::service::Offer for #kept { type Offered = #p::Yes; }));
        quote! {
            #[automatically_derived]
            #offer
        }
    });
    offers.collect()
}

fn read(tokens: TokenStream, item: &ItemStruct, report: &mut Report) -> Args {
    let mut args = Arguments::parse(tokens, &mut report.errors);
    let runtime = Runtime::from_args(&mut args, &mut report.errors);
    let id: Option<Text> = args.get("id", &mut report.errors);
    let name: Option<Text> = args.get("name", &mut report.errors);
    item::identity("service", &item.ident, &mut args, id.as_ref(), name.as_ref(), report);
    let description = item::description("service", item, &mut args, report);
    let tags = tags(&mut args, report);
    let plans = plans(&mut args, Some(&item.ident), report);
    let mut mentioned = plans.clone();
    let changes = changes(&mut args, &plans, &mut mentioned, report);
    let metadata = Metadata::of_service(&mut args, report);
    let dashboard_client = dashboard_client(&mut args, report);
    let instances_retrievable = args.flag("instances_retrievable", &mut report.errors);
    let bindings_retrievable_at = args.find("bindings_retrievable").cloned();
    let bindings_retrievable = args.flag("bindings_retrievable", &mut report.errors);
    let allow_context_updates = args.flag("allow_context_updates", &mut report.errors);
    let extensions = metadata::extensions("a service", FIELDS, &mut args, report);
    args.no_members("a service", &mut report.errors);
    args.finish("`#[service]`", HINTS, &mut report.errors);
    Args {
        runtime,
        id,
        name,
        description,
        tags,
        plans,
        mentioned,
        changes,
        metadata,
        dashboard_client,
        instances_retrievable: instances_retrievable.unwrap_or(true),
        bindings_retrievable: bindings_retrievable.unwrap_or(true),
        bindings_retrievable_at: bindings_retrievable_at.filter(|_| bindings_retrievable == Some(true)),
        allow_context_updates: allow_context_updates.unwrap_or(false),
        extensions,
    }
}

/// CAT-13, and the length that Cloud Foundry takes.
fn tags(args: &mut Arguments, report: &mut Report) -> Vec<LitStr> {
    let Some(Strings(tags)) = args.get("tags", &mut report.errors) else { return Vec::new() };
    let mut seen = Vec::new();
    for tag in &tags {
        if seen.contains(&tag.value()) {
            report.warn(tag, "tag_given_twice", "this tag is in the list already");
        }
        seen.push(tag.value());
    }
    let joined: usize = seen.iter().map(|tag| tag.chars().count()).sum();
    if joined > 2048
        && let Some(last) = tags.last()
    {
        report.errors.help(
            last,
            format_args!("the tags have {joined} characters together"),
            "Cloud Foundry takes at most 2048; drop some",
        );
    } else {
        for tag in &tags {
            rules::length(tag, report);
        }
    }
    tags
}

/// CAT-22: at least one, each once.
fn plans(args: &mut Arguments, ident: Option<&Ident>, report: &mut Report) -> Vec<Path> {
    let list = match args.find("plans").cloned() {
        Some(Meta::List(list)) => list,
        Some(other) => {
            let Meta::NameValue(pair) = &other else {
                report.errors.help(other, "`plans` takes a list of types", "write `plans(Free, Pro)`");
                return Vec::new();
            };
            let value = pair.value.to_token_stream();
            report.errors.help(&other, "`plans` takes a list of types", format_args!("write `plans({value})`"));
            return syn::parse2(value).into_iter().collect();
        }
        None => {
            if let Some(ident) = ident
                && !args.mentions("plans")
            {
                report.errors.help(
                    ident,
                    format_args!("service `{ident}` needs plans"),
                    "write `plans(Free, Pro)`, each a struct with `#[plan(...)]` (CAT-22)",
                );
            }
            return Vec::new();
        }
    };
    let mut plans: Vec<Path> = Vec::new();
    for piece in split_at_commas(list.tokens.clone()) {
        match syn::parse2::<Path>(piece.clone()) {
            Ok(path) if plans.contains(&path) => {
                report.errors.at(&path, format_args!("plan `{}` is listed twice", path.to_token_stream()));
            }
            Ok(path) => plans.push(path),
            Err(_) => {
                report.errors.help(
                    &piece,
                    "`plans` takes a list of types",
                    "write `plans(Free, Pro)`, each a struct with `#[plan(...)]`",
                );
                // Whatever can be read of it is offered, so that no plan asks for a service.
                let readable = |input: syn::parse::ParseStream<'_>| {
                    let mut paths = Vec::new();
                    while let Ok(path) = input.parse::<Path>() {
                        paths.push(path);
                    }
                    input.parse::<TokenStream>()?;
                    Ok(paths)
                };
                let paths = syn::parse::Parser::parse2(readable, piece).unwrap_or_default();
                plans.extend(paths.into_iter().filter(|path: &Path| !path.segments.is_empty()));
            }
        }
    }
    if plans.is_empty() && list.tokens.is_empty() {
        report.errors.help(
            &list.path,
            "a service has at least one plan (CAT-22)",
            "write `plans(Free, Pro)`, each a struct with `#[plan(...)]`",
        );
    }
    plans
}

/// `changes(Free => Pro, ...)`: between plans of this service, each change once.
fn changes(args: &mut Arguments, plans: &[Path], mentioned: &mut Vec<Path>, report: &mut Report) -> Vec<Change> {
    let fix = "write `changes(From => To, ...)` with plans of this service";
    let list = match args.find("changes").cloned() {
        Some(Meta::List(list)) => list,
        Some(other) => {
            report.errors.help(other, "`changes` takes a list of changes", fix);
            return Vec::new();
        }
        None => return Vec::new(),
    };
    let mut changes: Vec<Change> = Vec::new();
    for piece in split_at_commas(list.tokens.clone()) {
        let parsed = syn::parse::Parser::parse2(
            |input: syn::parse::ParseStream<'_>| {
                let from = input.parse()?;
                input.parse::<syn::Token![=>]>()?;
                Ok(Change { from, to: input.parse()? })
            },
            piece.clone(),
        );
        let Ok(change) = parsed else {
            report.errors.help(piece, "expected a change of plan", fix);
            continue;
        };
        let mut good = true;
        for plan in [&change.from, &change.to] {
            if !plans.contains(plan) {
                good = false;
                if !mentioned.contains(plan) {
                    mentioned.push(plan.clone());
                }
                let name = plan.to_token_stream();
                report.errors.help(
                    plan,
                    format_args!("`{name}` is no plan of this service"),
                    format_args!("add it: `plans(..., {name})`"),
                );
            }
        }
        if change.from == change.to {
            good = false;
            report.errors.help(&piece, "this changes nothing", "changes of parameters are `update = ...` of the plan");
        }
        if changes.iter().any(|other| other.from == change.from && other.to == change.to) {
            good = false;
            report.errors.at(&piece, "this change is listed twice");
        }
        if good {
            changes.push(change);
        }
    }
    changes
}

/// PROF-20, and `redirect_uri` too: Cloud Foundry refuses the catalog without it.
fn dashboard_client(args: &mut Arguments, report: &mut Report) -> Option<DashboardClient> {
    let (at, mut args) = args.nested("dashboard_client", &mut report.errors)?;
    let id: Option<Text> = args.get("id", &mut report.errors);
    let secret_env: Option<Text> = args.get("secret_env", &mut report.errors);
    let redirect_uri: Option<Text> = args.get("redirect_uri", &mut report.errors);
    let why = [
        ("id", "write `id = \"...\"`: the name of the OAuth client, unique on the platform"),
        ("secret_env", "write `secret_env = \"NAME\"`: the environment variable with the client's secret"),
        ("redirect_uri", "write `redirect_uri = \"https://...\"`; Cloud Foundry refuses the whole catalog without it"),
    ];
    for ((name, fix), given) in why.iter().zip([&id, &secret_env, &redirect_uri]) {
        // Whoever writes `secret` hears about that below.
        if given.is_none() && !args.mentions(name) && !(*name == "secret_env" && args.mentions("secret")) {
            report.errors.help(&at, format_args!("`dashboard_client` needs `{name}`"), fix);
        }
    }
    if let Some(uri) = &redirect_uri {
        rules::url("redirect_uri", uri, false, report);
    }
    if let Some(name) = &secret_env
        && (name.value().contains(['=', '\0']) || name.value().contains(char::is_whitespace))
    {
        report.errors.help(
            name,
            "this is not the name of an environment variable",
            "write something like `secret_env = \"DASHBOARD_CLIENT_SECRET\"`",
        );
    }
    args.no_members("`dashboard_client`", &mut report.errors);
    let hint = (
        "secret",
        "a constant of the program is no place for a secret: write `secret_env = \"NAME\"`, and set that environment variable",
    );
    args.finish("`dashboard_client`", &[hint], &mut report.errors);
    Some(DashboardClient { id: id?.value(), secret_env: secret_env?.value(), redirect_uri: redirect_uri?.value() })
}

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

fn write(args: &Args, ident: &Ident, broken: bool) -> TokenStream {
    let (root, p) = (args.runtime.root(), args.runtime.private());
    let text = |text: &Option<Text>| text.as_ref().map(Text::value).unwrap_or_default();
    let (id, name) = (text(&args.id), text(&args.name));
    let description = args.description.clone().unwrap_or_default();
    let optional = |value: &Option<Text>| item::option(value.as_ref().map(Text::value), &p);
    let display_name = optional(&args.metadata.display_name);
    let long_description = optional(&args.metadata.long_description);
    let documentation_url = optional(&args.metadata.documentation_url);
    let support_url = optional(&args.metadata.support_url);
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
        let kept = item::kept(plan);
        item::at(plan, quote!(#p::Offered::<#ident>::of::<#kept>(#updateable)))
    });
    let changes = (!broken).then_some(&args.changes).into_iter().flatten().map(|Change { from, to }| {
        let (kept_from, kept_to) = (item::kept(from), item::kept(to));
        item::at(to, quote!(#p::OfferedChange::<#ident>::of::<#kept_from, #kept_to>()))
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
    let nothing_bindable = args.bindings_retrievable_at.as_ref().map(|place| {
        let nothing = quote!(!#p::binds(&__OFFERING));
        item::warn_if(place, &nothing, "bindings_are_retrievable_but_no_plan_is_bindable", p)
    });
    quote!(#(#distinct)* #(#changes)* #shows #nothing_bindable)
}
