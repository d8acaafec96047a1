//! `dashboard_client(id = "...", secret_env = "...", redirect_uri = "...")`: the OAuth client of a service's dashboard (PROF-20).

use proc_macro2::{Ident, TokenStream};
use syn::LitStr;

use crate::{
    args::{Given, Group, Hint, Nested, Text, arguments, named_in_order},
    errors::{Errors, Report, and_list},
    rules,
};

arguments! {
    /// `dashboard_client(...)`
    pub(super) struct RawDashboardClient {
        /// `id = "..."` | The name of the OAuth client.
        id: Given<Text>,
        /// `secret_env = "NAME"` | The environment variable with the client's secret.
        secret_env: Given<Text>,
        /// `redirect_uri = "https://..."` | The URL to which users return.
        redirect_uri: Given<Text>,
    }
}

impl Group for RawDashboardClient {
    const NAME: &'static str = "dashboard_client";
    const EXAMPLE: &'static str = "id = \"...\", secret_env = \"...\", redirect_uri = \"...\"";
    const WHOSE: &'static str = "`dashboard_client`";
    const HINTS: &'static [Hint] = &[(
        "secret",
        "a secret does not belong in source code: write `secret_env = \"NAME\"`, and set that environment variable",
    )];

    fn named(tokens: &TokenStream) -> Option<String> {
        named_in_order::<Self>(tokens)
    }
}

pub(super) struct DashboardClient {
    pub(super) id: String,
    pub(super) secret_env: String,
    pub(super) redirect_uri: LitStr,
}

impl DashboardClient {
    /// All arguments are required, `redirect_uri` too: Cloud Foundry refuses the catalog without it.
    pub(super) fn validate(given: Given<Nested<RawDashboardClient>>, report: &mut Report) -> Option<Self> {
        let Nested { name, arguments, .. } = given.take(&mut report.errors)?.report(&mut report.errors);
        report_missing(&name, &arguments, &mut report.errors);
        let RawDashboardClient { id, secret_env, redirect_uri } = *arguments;
        let id = id.take(&mut report.errors);
        if let Some(id) = &id {
            rules::client_id(id, report);
        }
        let secret_env = secret_env.take(&mut report.errors);
        let redirect_uri = redirect_uri.take(&mut report.errors);
        if let Some(uri) = &redirect_uri {
            rules::url("redirect_uri", uri, false, report);
            if uri.value().contains('#') {
                let help = "leave out the part from `#` on (RFC 6749, section 3.1.2)";
                report.errors.help(uri, "`redirect_uri` has a fragment, which OAuth forbids", help);
            }
        }
        if let Some(variable) = &secret_env {
            check_variable(variable, &mut report.errors);
        }
        Some(Self { id: id?.value(), secret_env: secret_env?.value(), redirect_uri: redirect_uri?.0 })
    }
}

/// Reports all missing arguments as one error.
fn report_missing(place: &Ident, arguments: &RawDashboardClient, errors: &mut Errors) {
    let RawDashboardClient { id, secret_env, redirect_uri } = arguments;
    let required = [
        ("`id`", id, "write `id = \"...\"`: the name of the OAuth client, unique on the platform"),
        (
            "`secret_env`",
            secret_env,
            "write `secret_env = \"NAME\"`: the environment variable with the client's secret",
        ),
        (
            "`redirect_uri`",
            redirect_uri,
            "write `redirect_uri = \"https://...\"`; Cloud Foundry refuses the whole catalog without it",
        ),
    ];
    let missing = required.into_iter().filter(|(_, given, _)| !given.is_mentioned());
    let (names, fixes): (Vec<_>, Vec<_>) = missing.map(|(name, _, fix)| (name, fix)).unzip();
    if !names.is_empty() {
        let message = format!("`dashboard_client` needs {}", and_list(&names));
        errors.help(place, message, fixes.join("\nhelp: "));
    }
}

/// Reports a text that is not the name of an environment variable, such as the secret itself.
fn check_variable(name: &Text, errors: &mut Errors) {
    let text = name.value();
    let plain = text.trim_start_matches('$');
    // Kubernetes allows points and hyphens.
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
    let is_name = |text: &str| is_word(text) && text.starts_with(|c: char| !c.is_ascii_digit());
    if !is_name(&text) {
        let example = if is_name(plain) { plain } else { "DASHBOARD_CLIENT_SECRET" };
        let help = format_args!("write something like `secret_env = \"{example}\"`; the secret is its value");
        errors.help(name, "this is not the name of an environment variable", help);
    }
}
