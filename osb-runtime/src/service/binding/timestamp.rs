//! Time stamps in the specification's format, `yyyy-mm-ddThh:mm:ss.sZ` (BIND-25).

use std::time::SystemTime;

/// Formats a time, truncated to a tenth of a second. Returns `None` for years before 1970 and after 9999.
pub(crate) fn timestamp(time: SystemTime) -> Option<String> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days).filter(|(year, ..)| *year <= 9_999)?;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let tenth = since.subsec_millis() / 100;
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{tenth}Z"))
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
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{date, timestamp};

    /// Returns the length of a month, for comparison.
    fn days_of(year: u64, month: u64) -> u64 {
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    #[test]
    fn dates_until_9999_are_correct() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        let mut days = 0;
        while year < 10_000 {
            assert_eq!(date(days), Some((year, month, day)), "{days}");
            day += 1;
            if day > days_of(year, month) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
            days += 1;
        }
    }

    /// Parses a time stamp into tenths of a second since 1970.
    fn read(text: &str) -> Option<u64> {
        let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
        let numbers = |text: &str| text.split(['-', ':', '.']).map(str::parse).collect::<Result<Vec<u64>, _>>();
        let &[year, month, day] = numbers(date).ok()?.as_slice() else { return None };
        let &[hour, minute, second, tenth] = numbers(time).ok()?.as_slice() else { return None };
        let days: u64 = (1970..year).map(|year| if days_of(year, 2) == 29 { 366 } else { 365 }).sum::<u64>()
            + (1..month).map(|month| days_of(year, month)).sum::<u64>()
            + day
            - 1;
        Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 10 + tenth)
    }

    #[test]
    fn timestamps_round_trip() {
        // The step is coprime to the units of time, so that every value of each unit occurs.
        for tenths in (0..2_534_023_008_000).step_by(7_654_321_987).chain([0, 9, 10, 599, 2_534_023_007_999]) {
            let time = SystemTime::UNIX_EPOCH + Duration::from_millis(tenths * 100);
            let text = timestamp(time).unwrap_or_else(|| panic!("{tenths}"));
            assert_eq!(text.len(), "yyyy-mm-ddThh:mm:ss.sZ".len(), "{text}");
            assert_eq!(read(&text), Some(tenths), "{text}");
        }
    }

    #[test]
    fn times_out_of_range_have_no_timestamp() {
        let at = |seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        assert_eq!(at(1_709_210_096).and_then(timestamp).as_deref(), Some("2024-02-29T12:34:56.0Z"));
        assert_eq!(at(253_402_300_799).and_then(timestamp).as_deref(), Some("9999-12-31T23:59:59.0Z"));
        assert_eq!(at(253_402_300_800).and_then(timestamp), None);
        assert_eq!(SystemTime::UNIX_EPOCH.checked_sub(Duration::from_millis(1)).and_then(timestamp), None);
        let late = SystemTime::UNIX_EPOCH + Duration::from_millis(999);
        assert_eq!(timestamp(late).as_deref(), Some("1970-01-01T00:00:00.9Z"), "never later than the given time");
    }
}
