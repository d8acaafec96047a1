//! Durations on the command line, in the environment and in the configuration file: `30s`, `500ms`, `1h30m`.
//!
//! Hand-written because `humantime` would accept months and years and write `8days`: each unit has one spelling here.

use std::time::Duration;

/// The units, largest first, in milliseconds.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

const EXAMPLES: &str = "write a number with a unit, such as 500ms, 30s, 5m, 12h or 8d";

/// Parses a duration with its units, such as `200ms`, `30s`, `1h30m` or `8d`, as the options of `serve` are written.
///
/// For options of the author:
///
/// ```
/// use std::time::Duration;
/// use osb_tool::clap;
///
/// #[derive(clap::Args)]
/// struct Config {
///     /// Time after which a query is cancelled
///     #[arg(long, env = "KV_QUERY_TIMEOUT", default_value = "200ms", value_parser = osb_tool::duration)]
///     query_timeout: Duration,
/// }
/// # assert_eq!(osb_tool::duration("200ms"), Ok(Duration::from_millis(200)));
/// ```
///
/// # Errors
///
/// If a unit is missing or unknown; the text says what to write.
// The advice for a number without a unit takes it for seconds.
pub fn parse(text: &str) -> Result<Duration, String> {
    in_unit(text, "s")
}

/// Parses a duration that has to be longer than 0.
pub(super) fn parse_positive(text: &str) -> Result<Duration, String> {
    not_zero(parse(text)?)
}

/// Parses a duration that was a number of hours in earlier releases.
pub(super) fn parse_hours(text: &str) -> Result<Duration, String> {
    not_zero(in_unit(text, "h")?)
}

/// Parses a duration that was a number of days in earlier releases.
pub(super) fn parse_days(text: &str) -> Result<Duration, String> {
    not_zero(in_unit(text, "d")?)
}

fn not_zero(duration: Duration) -> Result<Duration, String> {
    if duration.is_zero() { Err("it must be longer than 0".to_owned()) } else { Ok(duration) }
}

fn in_unit(text: &str, former: &str) -> Result<Duration, String> {
    if let Some(milliseconds) = milliseconds(text) {
        return Ok(Duration::from_millis(milliseconds));
    }
    let seconds = UNITS.iter().find(|(name, _)| *name == former).map_or(0, |(_, unit)| unit / 1000);
    let number = text.parse::<f64>().ok().and_then(|number| Duration::try_from_secs_f64(number).ok());
    match number.and_then(|number| number.checked_mul(u32::try_from(seconds).ok()?)) {
        Some(meant) => Err(format!("the unit is missing; write `{}`", display(meant))),
        None => Err(EXAMPLES.to_owned()),
    }
}

fn milliseconds(text: &str) -> Option<u64> {
    let (mut rest, mut total, mut last) = (text, 0_u64, u64::MAX);
    while !rest.is_empty() {
        let (number, tail) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let (name, tail) = tail.split_at(tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len()));
        let unit = UNITS.iter().find(|(known, _)| *known == name).map(|(_, unit)| *unit).filter(|unit| *unit < last)?;
        total = number.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(total)?;
        (rest, last) = (tail, unit);
    }
    (!text.is_empty()).then_some(total)
}

/// Writes a duration in the largest unit that divides it.
pub(super) fn display(duration: Duration) -> String {
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let unit = UNITS.iter().find(|(_, unit)| milliseconds > 0 && milliseconds.is_multiple_of(*unit));
    unit.map_or_else(|| "0s".to_owned(), |(name, unit)| format!("{}{name}", milliseconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        let seconds = |text| parse(text).map(|duration| duration.as_secs_f64());
        for (text, expected) in [
            ("30s", 30.0),
            ("500ms", 0.5),
            ("5m", 300.0),
            ("12h", 43_200.0),
            ("8d", 691_200.0),
            ("1h30m", 5400.0),
            ("0s", 0.0),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            "s",
            "soon",
            "-1s",
            "30 s",
            "30S",
            "1.5s",
            "1m1h",
            "1s1s",
            "99999999999999999999s",
            "999999999999999d",
            "1s2",
        ] {
            assert_eq!(seconds(text), Err(EXAMPLES.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_number_without_a_unit_is_refused_with_the_new_spelling() {
        for (text, advice) in [("30", "30s"), ("0.5", "500ms"), ("0", "0s"), ("60", "1m")] {
            assert_eq!(parse(text), Err(format!("the unit is missing; write `{advice}`")), "{text}");
        }
        assert_eq!(parse_hours("168"), Err("the unit is missing; write `7d`".to_owned()));
        assert_eq!(parse_days("8"), Err("the unit is missing; write `8d`".to_owned()));
        assert_eq!(parse_days("0s"), Err("it must be longer than 0".to_owned()));
    }

    #[test]
    fn displayed_durations_can_be_parsed() {
        for text in ["1ms", "1500ms", "30s", "90m", "5h", "8d", "0s"] {
            assert_eq!(parse(text).as_ref().map(|duration| display(*duration)), Ok(text.to_owned()));
        }
    }
}
