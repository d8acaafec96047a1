//! Tests of timestamps.

use std::time::{Duration, SystemTime};

use super::{date, read_timestamp, timestamp, timestamp_with_millis};

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
    for tenths in (0..=331).map(|step| step * 7_654_321_987).chain([9, 10, 599, 2_534_023_007_999]) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(tenths * 100);
        let text = timestamp(time).unwrap_or_else(|| panic!("{tenths}"));
        assert_eq!(text.len(), "yyyy-mm-ddThh:mm:ss.sZ".len(), "{text}");
        assert_eq!(read(&text), Some(tenths), "{text}");
        assert_eq!(read_timestamp(&text), Some(time), "{text}");
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

#[test]
fn times_that_are_none_are_refused() {
    let at = |seconds: u64, millis| Some(SystemTime::UNIX_EPOCH + Duration::from_millis(seconds * 1000 + millis));
    assert_eq!(read_timestamp("2024-02-29T12:34:56Z"), at(1_709_210_096, 0));
    assert_eq!(read_timestamp("2024-02-29T12:34:56.125Z"), at(1_709_210_096, 125));
    for text in [
        "",
        "2024-02-30T12:34:56.0Z",
        "2023-02-29T12:34:56.0Z",
        "2024-13-01T00:00:00.0Z",
        "2024-00-01T00:00:00.0Z",
        "2024-01-00T00:00:00.0Z",
        "2024-01-01T24:00:00.0Z",
        "2024-01-01T00:60:00.0Z",
        "2024-01-01T00:00:60.0Z",
        "2024-01-01-01T00:00:00.0Z",
        "2024-01-01T00:00:00:00.0Z",
        "2024-01-01T00:00:00.0",
        "2024-01-01T00:00:00.Z",
        "2024-01-01 00:00:00.0Z",
        "2024-01-01T00:00:00.0+01:00",
        "1969-12-31T23:59:59.0Z",
        "2024-+1-01T00:00:00.0Z",
        "2024-01-01T00:00:00.1234567890Z",
    ] {
        assert_eq!(read_timestamp(text), None, "{text}");
    }
}

#[test]
fn events_have_milliseconds() {
    for (millis, text) in [(7, "00.007Z"), (120, "00.120Z"), (59_999, "59.999Z")] {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        let written = timestamp_with_millis(time).expect("it is in the range");
        assert_eq!(written, format!("1970-01-01T00:00:{text}"));
        assert_eq!(read_timestamp(&written), Some(time));
    }
}
