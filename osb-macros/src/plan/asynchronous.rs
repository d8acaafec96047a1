//! `asynchronous(...)`: whether platforms are answered before the work is done.

use darling::FromMeta;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Meta;

use crate::{
    args::{Arguments, nearest, ungrouped},
    rules::Report,
};

/// `asynchronous(instances = always | never, bindings = always | never)`, as far as it is said.
#[derive(Default)]
pub(super) struct Asynchronous {
    instances: Option<Mode>,
    bindings: Option<Mode>,
    /// The author's `bindings = ...`, which is a mistake where nothing is bindable.
    pub(super) bindings_at: Option<Meta>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Always,
    Never,
}

const HINTS: &[(&str, &str)] = &[
    ("provision", "`instances` is about creating, updating and deleting them alike"),
    ("create", "`instances` is about creating, updating and deleting them alike"),
    ("update", "`instances` is about creating, updating and deleting them alike"),
    ("deprovision", "`instances` is about creating, updating and deleting them alike"),
    ("delete", "`instances` is about creating, updating and deleting them alike"),
    ("unbind", "`bindings` is about making and deleting them alike"),
];

const EXAMPLE: &str = "write `asynchronous(instances = always)`, `asynchronous(bindings = never)` or both; \
                       what is not said depends on how long the work takes";

impl Asynchronous {
    pub(super) fn read(args: &mut Arguments, report: &mut Report) -> Self {
        let errors = &mut report.errors;
        let list = match args.find("asynchronous").cloned() {
            Some(Meta::List(list)) => list,
            Some(other) => {
                errors.help(other, "`asynchronous` takes a list: instances, bindings or both", EXAMPLE);
                return Self::default();
            }
            None => return Self::default(),
        };
        if list.tokens.is_empty() {
            errors.help(list, "`asynchronous()` says nothing", EXAMPLE);
            return Self::default();
        }
        let mut args = Arguments::parse(list.tokens, errors);
        let instances = args.get("instances", errors);
        let bindings_at = args.find("bindings").cloned();
        let bindings = args.get("bindings", errors);
        args.no_members("`asynchronous`", errors);
        args.finish("`asynchronous`", HINTS, errors);
        Self { instances, bindings, bindings_at }
    }

    /// Whether a platform is never asked to poll.
    pub(super) fn never(&self, bindable: bool) -> bool {
        self.instances == Some(Mode::Never) && (self.bindings == Some(Mode::Never) || !bindable)
    }

    pub(super) fn tokens(&self, p: &TokenStream) -> TokenStream {
        let mode = |mode: Option<Mode>| match mode {
            Some(Mode::Always) => quote!(#p::Mode::Always),
            Some(Mode::Never) => quote!(#p::Mode::Never),
            None => quote!(#p::Mode::Adaptive),
        };
        let (instances, bindings) = (mode(self.instances), mode(self.bindings));
        quote!(#p::Asynchronous { instances: #instances, bindings: #bindings })
    }
}

impl FromMeta for Mode {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let name = meta.path().to_token_stream();
        let rule = format!("`{name}` are asynchronous always or never: `{name} = always` or `{name} = never`");
        let Meta::NameValue(pair) = meta else { return Err(darling::Error::custom(rule).with_span(meta)) };
        let written = ungrouped(&pair.value).to_token_stream().to_string();
        let help = match written.trim_matches('"') {
            "always" if written == "always" => return Ok(Self::Always),
            "never" if written == "never" => return Ok(Self::Never),
            "always" | "never" => format!("\nhelp: write {} without quotes", written.replace('"', "`")),
            "adaptive" | "auto" | "sometimes" | "maybe" => format!(
                "\nhelp: drop `{name}`: what is not said depends on how long the work takes, and on what the platform accepts"
            ),
            "true" => "\nhelp: did you mean `always`?".to_owned(),
            "false" => "\nhelp: did you mean `never`?".to_owned(),
            word => nearest(word, ["always", "never"].into_iter())
                .map(|near| format!("\nhelp: did you mean `{near}`?"))
                .unwrap_or_default(),
        };
        Err(darling::Error::custom(rule + &help).with_span(&pair.value))
    }
}
