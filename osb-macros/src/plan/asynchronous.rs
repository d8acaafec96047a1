//! `asynchronous(instances = always | never, bindings = always | never)`: whether platforms are answered before the work
//! is done.

use darling::FromMeta;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, Lit, Meta};

use crate::{
    args::{Given, Group, Hint, Nested, arguments, nearest, ungrouped},
    errors::Errors,
};

arguments! {
    /// `asynchronous(...)`
    pub(super) struct RawAsynchronous {
        /// `instances = always` or `never` | Creating, updating and deleting instances.
        instances: Given<Mode>,
        /// `bindings = always` or `never` | Creating and deleting bindings.
        bindings: Given<Mode>,
    }
}

/// An example of `asynchronous(...)`, for help.
const ASYNCHRONOUS: &str = "write `asynchronous(instances = always)`, `asynchronous(bindings = never)` or both; \
                                       the mode of the others depends on how long the work takes";

impl Group for RawAsynchronous {
    const NAME: &'static str = "asynchronous";
    const EXAMPLE: &'static str = "instances = always";
    const WHOSE: &'static str = "`asynchronous`";
    const HINTS: &'static [Hint] = HINTS;

    fn not_a_list() -> String {
        format!("`asynchronous` takes a list: instances, bindings or both\nhelp: {ASYNCHRONOUS}")
    }
}

const HINTS: &[Hint] = &[
    ("always", "write `instances = always`, `bindings = always` or both"),
    ("never", "write `instances = never`, `bindings = never` or both"),
    ("provision", "`instances` is about creating, updating and deleting them alike"),
    ("create", "`instances` is about creating, updating and deleting them alike"),
    ("update", "`instances` is about creating, updating and deleting them alike"),
    ("deprovision", "`instances` is about creating, updating and deleting them alike"),
    ("delete", "`instances` is about creating, updating and deleting them alike"),
    ("unbind", "`bindings` is about making and deleting them alike"),
];

/// The modes that the author gave.
#[derive(Default)]
pub(super) struct Asynchronous {
    instances: Option<Mode>,
    bindings: Option<Mode>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Always,
    Never,
}

impl Asynchronous {
    /// Validates the modes, and returns the argument `bindings` too: it is a mistake in a plan that is not bindable.
    pub(super) fn validate(given: Given<Nested<RawAsynchronous>>, errors: &mut Errors) -> (Self, Option<Meta>) {
        let Some((nested, meta)) = given.take_with_place(errors) else { return (Self::default(), None) };
        let nested = nested.report(errors);
        if nested.is_empty {
            errors.help(meta, "`asynchronous` needs arguments", ASYNCHRONOUS);
            return (Self::default(), None);
        }
        let instances = nested.arguments.instances.take(errors);
        let (bindings, meta) = nested.arguments.bindings.take_with_place(errors).unzip();
        (Self { instances, bindings }, meta)
    }

    /// Returns whether platforms never poll.
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
        let rule = format!("expected `{name} = always` or `{name} = never`");
        let Meta::NameValue(pair) = meta else { return Err(darling::Error::custom(rule).with_span(meta)) };
        let help = match ungrouped(&pair.value) {
            Expr::Path(path) => match path.path.get_ident().map(ToString::to_string).as_deref() {
                Some("always") => return Ok(Self::Always),
                Some("never") => return Ok(Self::Never),
                Some(word) => help_on_word(&name, word),
                None => String::new(),
            },
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => match &*text.value() {
                word @ ("always" | "never") => format!("\nhelp: write `{word}` without quotes"),
                word => help_on_word(&name, word),
            },
            Expr::Lit(ExprLit { lit: Lit::Bool(flag), .. }) => {
                format!("\nhelp: did you mean `{}`?", if flag.value { "always" } else { "never" })
            }
            _ => String::new(),
        };
        Err(darling::Error::custom(rule + &help).with_span(&pair.value))
    }
}

fn help_on_word(name: &TokenStream, word: &str) -> String {
    match word {
        "adaptive" | "auto" | "sometimes" | "maybe" => format!(
            "\nhelp: drop `{name}`: without it, the mode depends on how long the work takes, and on what the platform accepts"
        ),
        word => nearest(word, ["always", "never"].into_iter())
            .map(|near| format!("\nhelp: did you mean `{near}`?"))
            .unwrap_or_default(),
    }
}
