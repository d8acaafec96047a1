//! Time stamps in the specification's format, `yyyy-mm-ddThh:mm:ss.sZ` (BIND-25).
//!
//! Written by hand: one format of UTC does not justify a dependency on `jiff` or `time`.

use std::time::{Duration, SystemTime};

/// Formats a time as in `2019-12-31T23:59:59.0Z` (BIND-25), truncated to a tenth of a second. Such texts sort like their times.
/// Returns `None` for years before 1970 and after 9999.
#[must_use]
pub fn timestamp(time: SystemTime) -> Option<String> {
    with_fraction(time, |millis| (millis / 100).to_string())
}

/// Formats a time as [`timestamp`] does, but to the millisecond: `2019-12-31T23:59:59.000Z`.
#[must_use]
pub fn timestamp_with_millis(time: SystemTime) -> Option<String> {
    with_fraction(time, |millis| format!("{millis:03}"))
}

fn with_fraction(time: SystemTime, fraction: fn(u32) -> String) -> Option<String> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days).filter(|(year, ..)| *year <= 9_999)?;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let fraction = fraction(since.subsec_millis());
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction}Z"))
}

/// Reads a time in this format; the fraction may have up to nine digits, or be absent.
#[must_use]
pub fn read_timestamp(text: &str) -> Option<SystemTime> {
    let (date_part, time_part) = text.strip_suffix('Z')?.split_once('T')?;
    let number = |text: &str, length: usize| -> Option<u64> {
        (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
    };
    let mut parts = date_part.split('-');
    let (year, month, day) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let (clock, fraction) = time_part.split_once('.').unwrap_or((time_part, "0"));
    let mut clock = clock.split(':');
    let (hour, minute, second) = (number(clock.next()?, 2)?, number(clock.next()?, 2)?, number(clock.next()?, 2)?);
    if parts.next().is_some() || clock.next().is_some() || hour > 23 || minute > 59 || second > 59 || year < 1970 {
        return None;
    }
    let (from_march, years) = if month > 2 { (month.checked_sub(3)?, year) } else { (month + 9, year - 1) };
    let days = 365 * years + years / 4 - years / 100 + years / 400 + (153 * from_march + 2) / 5 + day.checked_sub(1)?;
    let days = days.checked_sub(719_468)?;
    // A date that doesn't exist, such as 30 February, maps back to a different date.
    if date(days) != Some((year, month, day)) {
        return None;
    }
    let nanoseconds = number(&format!("{fraction:0<9}"), 9).filter(|_| !fraction.is_empty())?;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds))
}

/// Converts a number of days since 1970-01-01 to year, month and day in the Gregorian calendar.
///
/// Years are counted from 0000-03-01, so that a leap day is the last day of its year: 400 years have 146 097 days, and
/// both March to July and August to December have 153 days.
fn date(days: u64) -> Option<(u64, u64, u64)> {
    let days = days.checked_add(719_468)?;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    Some((year, month, day))
}

#[cfg(test)]
#[path = "../tests/unit/timestamp.rs"]
mod tests;
