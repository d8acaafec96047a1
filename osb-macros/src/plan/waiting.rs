//! How long platforms wait for a plan: `asynchronous(...)` and `maximum_polling_duration`.

use darling::FromMeta;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, Lit, Meta};

use crate::{
    args::{Arguments, nearest},
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

/// `maximum_polling_duration`, in seconds (CAT-39).
pub(super) struct PollingDuration(pub(super) u32);

/// What a 32-bit integer holds, as which platforms store it.
const LONGEST: u32 = 2_147_483_647;

impl PollingDuration {
    pub(super) fn read(
        args: &mut Arguments,
        asynchronous: &Asynchronous,
        bindable: bool,
        report: &mut Report,
    ) -> Option<Self> {
        let meta = args.find("maximum_polling_duration")?.clone();
        let seconds = match seconds(&meta) {
            Ok(seconds) => seconds,
            Err(Wrong { place, message, help }) => {
                report.errors.help(place, message, help);
                return None;
            }
        };
        if seconds < 60 {
            report.warn(
                &meta,
                "polling_ends_before_it_begins",
                "Cloud Foundry counts whole minutes, so that it asks once and gives up: write 60 seconds at least (CAT-39)",
            );
        }
        if asynchronous.never(bindable) {
            report.warn(
                &meta,
                "nothing_is_polled",
                "nothing of this plan is asynchronous, so that no platform ever polls: drop `maximum_polling_duration`, or a `never` (CAT-39)",
            );
        }
        Some(Self(seconds))
    }
}

/// A mistake, what is wrong with it, and what to write.
struct Wrong {
    place: TokenStream,
    message: String,
    help: String,
}

impl Wrong {
    fn new(place: &impl ToTokens, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: place.to_token_stream(), message: message.into(), help: help.into() }
    }
}

fn seconds(meta: &Meta) -> Result<u32, Wrong> {
    let fix = "write seconds, such as `maximum_polling_duration = 7200`, or \"2h\", \"90m\", \"1d\"";
    let Meta::NameValue(pair) = meta else {
        return Err(Wrong::new(meta, "`maximum_polling_duration` needs a value", fix));
    };
    let no_number = || Wrong::new(&pair.value, "`maximum_polling_duration` is a whole number of seconds (CAT-39)", fix);
    let Expr::Lit(literal) = ungrouped(&pair.value) else { return Err(no_number()) };
    let seconds = match &literal.lit {
        Lit::Int(literal) if literal.suffix().is_empty() => literal.base10_parse().ok(),
        // `2h` is one token, as `7200u32` is.
        Lit::Int(literal) if seconds_per(literal.suffix()).is_some() => {
            let help = format!("write it in quotes: `maximum_polling_duration = \"{literal}\"`");
            return Err(Wrong::new(literal, "a number with a unit is a string", help));
        }
        Lit::Str(literal) => {
            let text = literal.value();
            duration(&text).map_err(|NotADuration| {
                let seconds = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                let help = if seconds {
                    format!("write seconds without quotes: `maximum_polling_duration = {text}`")
                } else {
                    "write a whole number and a unit, which is s, m, h or d, such as \"90m\"".to_owned()
                };
                Wrong::new(literal, format!("{text:?} is not a duration"), help)
            })?
        }
        _ => return Err(no_number()),
    };
    match seconds.and_then(|seconds: u64| u32::try_from(seconds).ok()).filter(|seconds| *seconds <= LONGEST) {
        Some(0) => Err(Wrong::new(
            &pair.value,
            "`maximum_polling_duration` is positive (CAT-39)",
            "write how long an operation may take, or drop it to leave that to the platform",
        )),
        Some(seconds) => Ok(seconds),
        None => Err(Wrong::new(
            &pair.value,
            "`maximum_polling_duration` is longer than platforms can store",
            format!("write {LONGEST} seconds at most, or drop it to leave the limit to the platform"),
        )),
    }
}

/// The expression inside the invisible group that a `macro_rules!` makes.
fn ungrouped(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}

fn seconds_per(unit: &str) -> Option<u64> {
    match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3_600),
        "d" => Some(86_400),
        _ => None,
    }
}

#[derive(Debug, PartialEq, Eq)]
struct NotADuration;

/// `90m` in seconds; `None` if they are too many to count.
fn duration(text: &str) -> Result<Option<u64>, NotADuration> {
    let end = text.find(|c: char| !c.is_ascii_digit()).ok_or(NotADuration)?;
    let (number, unit) = text.split_at(end);
    let per = seconds_per(unit.trim_start()).ok_or(NotADuration)?;
    if number.is_empty() {
        return Err(NotADuration);
    }
    Ok(number.parse::<u64>().ok().and_then(|number| number.checked_mul(per)))
}

#[cfg(test)]
mod tests {
    use super::{NotADuration, duration};

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        for (text, seconds) in [("90s", 90), ("45m", 2_700), ("2h", 7_200), ("2 h", 7_200), ("1d", 86_400), ("0s", 0)] {
            assert_eq!(duration(text), Ok(Some(seconds)), "{text}");
        }
        for text in ["", "h", "90", "1.5h", "-1h", "2 hours", "1h30m", "2H", "h2", "٣h"] {
            assert_eq!(duration(text), Err(NotADuration), "{text}");
        }
        assert_eq!(duration("99999999999999999999d"), Ok(None));
        assert_eq!(duration("18446744073709551615d"), Ok(None));
    }
}
