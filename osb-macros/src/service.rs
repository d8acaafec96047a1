//! `#[service]`: one offering.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemStruct, LitStr, Meta, Path};

mod plans;
mod write;

use self::plans::{Change, changes, plans};
use crate::{
    args::{Arguments, Text},
    item,
    metadata::{self, Metadata, Strings},
    rules::{self, Report},
    runtime::Runtime,
    spans::{at, kept},
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
    /// The author's own words on that: they may not go with what the plans say.
    bindings_retrievable_at: Option<Meta>,
    allow_context_updates: bool,
    extensions: String,
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
    let implementation = nameable.then(|| write::write(&args, &item.ident, !report.errors.is_empty()));
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
        let of = kept(plan);
        let offer = at(plan, quote!(impl #root::service::Offer for #of { type Offered = #p::Yes; }));
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
        bindings_retrievable_at,
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

/// PROF-20, and `redirect_uri` too: Cloud Foundry refuses the catalog without it.
fn dashboard_client(args: &mut Arguments, report: &mut Report) -> Option<DashboardClient> {
    let (at, mut args) = args.nested(
        "dashboard_client",
        "id = \"...\", secret_env = \"...\", redirect_uri = \"...\"",
        &mut report.errors,
    )?;
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
