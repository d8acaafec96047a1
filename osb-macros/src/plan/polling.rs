//! `maximum_polling_duration`: the time for which platforms poll an operation (CAT-39).

use darling::FromMeta;
use syn::{Expr, Lit, Meta};

use super::asynchronous::Asynchronous;
use crate::{
    args::{Given, ungrouped, wrong},
    errors::Report,
};

/// `maximum_polling_duration`, in seconds.
pub(super) struct PollingDuration(pub(super) u32);

/// The largest 32-bit integer, which platforms store the duration as.
const LONGEST: u32 = 2_147_483_647;

/// The time after which Cloud Foundry ends the polling unless its operator has changed that, in seconds.
const LONGEST_POLLED: u32 = 604_800;

impl PollingDuration {
    pub(super) fn validate(
        given: Given<Self>,
        asynchronous: &Asynchronous,
        bindable: bool,
        report: &mut Report,
    ) -> Option<Self> {
        let (Self(seconds), meta) = given.take_with_place(&mut report.errors)?;
        if seconds < 60 {
            report.warn(
                &meta,
                "polling_ends_before_it_begins",
                "Cloud Foundry counts whole minutes, so it polls once and gives up: write at least 60 seconds (CAT-39)",
            );
        }
        if seconds > LONGEST_POLLED {
            report.warn(
                &meta,
                "polling_ends_earlier",
                "it is in seconds, and Cloud Foundry polls for 7 days at most: write 604800, or less (CAT-39)",
            );
        }
        if asynchronous.never(bindable) {
            report.warn(
                &meta,
                "nothing_is_polled",
                "no operation of this plan is asynchronous, so no platform ever polls: remove `maximum_polling_duration` or a `never` (CAT-39)",
            );
        }
        Some(Self(seconds))
    }
}

impl FromMeta for PollingDuration {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        seconds(meta).map(Self)
    }
}

fn seconds(meta: &Meta) -> darling::Result<u32> {
    let fix = "write seconds, such as `maximum_polling_duration = 7200`, or \"2h\", \"90m\", \"1d\"";
    let Meta::NameValue(pair) = meta else {
        return Err(wrong(meta, "`maximum_polling_duration` needs a value", fix));
    };
    let no_number = || wrong(&pair.value, "`maximum_polling_duration` is a whole number of seconds (CAT-39)", fix);
    let Expr::Lit(literal) = ungrouped(&pair.value) else { return Err(no_number()) };
    let seconds = match &literal.lit {
        Lit::Int(literal) if literal.suffix().is_empty() => literal.base10_parse().ok(),
        // `2h` is one token, as `7200u32` is.
        Lit::Int(literal) if seconds_per(literal.suffix()).is_some() => {
            let help = format!("write it in quotes: `maximum_polling_duration = \"{literal}\"`");
            return Err(wrong(literal, "a number with a unit is a string", help));
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
                wrong(literal, format!("{text:?} is not a duration"), help)
            })?
        }
        _ => return Err(no_number()),
    };
    match seconds.and_then(|seconds: u64| u32::try_from(seconds).ok()).filter(|seconds| *seconds <= LONGEST) {
        Some(0) => Err(wrong(
            &pair.value,
            "`maximum_polling_duration` must be positive (CAT-39)",
            "write how long an operation may take, or drop it to leave that to the platform",
        )),
        Some(seconds) => Ok(seconds),
        None => Err(wrong(
            &pair.value,
            "`maximum_polling_duration` is longer than platforms can store",
            format!("write {LONGEST} seconds at most, or drop it to leave the limit to the platform"),
        )),
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

/// Converts `90m` to seconds; `None` if they are too many to count.
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
