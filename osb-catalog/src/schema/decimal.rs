//! `multipleOf` for numbers with decimals, computed on their digits: 0.3 is a multiple of 0.1, although not in binary.

/// An integer times a power of ten.
#[derive(Clone, Copy)]
struct Scaled {
    digits: u128,
    exponent: i64,
}

/// Returns whether the decimal number `value` is a multiple of the decimal number `divisor`.
#[must_use]
pub const fn is_multiple(value: &str, divisor: &str) -> bool {
    match (scaled(value), scaled(divisor)) {
        (Some(value), Some(divisor)) => divides(divisor, value),
        // More digits than a double has, which occur neither in schemas nor in values.
        _ => true,
    }
}

/// Returns whether an integer is a multiple of the decimal number `divisor`.
pub(crate) const fn is_multiple_of_whole(value: i128, divisor: &str) -> bool {
    let value = value.unsigned_abs();
    match scaled(divisor) {
        Some(divisor) => divides(divisor, Scaled { digits: value, exponent: 0 }),
        None => true,
    }
}

const fn divides(divisor: Scaled, value: Scaled) -> bool {
    if value.digits == 0 {
        return true;
    }
    if divisor.digits == 0 {
        return false;
    }
    let mut shift = value.exponent - divisor.exponent;
    if shift >= 0 {
        let mut rest = value.digits % divisor.digits;
        while shift > 0 && rest != 0 {
            rest = rest * 10 % divisor.digits;
            shift -= 1;
        }
        return rest == 0;
    }
    let mut divisor = divisor.digits;
    while shift < 0 {
        divisor *= 10;
        if divisor > value.digits {
            return false;
        }
        shift += 1;
    }
    value.digits.is_multiple_of(divisor)
}

/// A bound of a range, and whether it is exclusive.
pub(crate) type Bound<'a> = (&'a str, bool);

/// Returns whether a multiple of `divisor` is between two bounds. An empty range counts as one that has a multiple.
pub(crate) const fn has_multiple((low, above): Bound<'_>, (high, below): Bound<'_>, divisor: &str) -> bool {
    let exponent = match (scaled(low), scaled(high), scaled(divisor)) {
        (Some(low), Some(high), Some(divisor)) => min(low.exponent, min(high.exponent, divisor.exponent)),
        _ => return true,
    };
    // A number that is too large for this has multiples of all divisors that are not.
    let (Some(low), Some(high), Some(divisor)) =
        (units(low, exponent), units(high, exponent), units(divisor, exponent))
    else {
        return true;
    };
    if divisor <= 0 || low > high || (low == high && (above || below)) {
        return true;
    }
    let mut largest = high.div_euclid(divisor) * divisor;
    if below && largest == high {
        largest -= divisor;
    }
    largest > low || (largest == low && !above)
}

const fn min(a: i64, b: i64) -> i64 {
    if a < b { a } else { b }
}

/// Returns a number as a multiple of a power of ten, which is at most that of its last digit.
const fn units(text: &str, exponent: i64) -> Option<i128> {
    let Some(number) = scaled(text) else { return None };
    // Not more than 64 bits.
    let mut units = number.digits.cast_signed();
    let mut shift = number.exponent - exponent;
    while shift > 0 && units != 0 {
        let Some(more) = units.checked_mul(10) else { return None };
        units = more;
        shift -= 1;
    }
    Some(if matches!(text.as_bytes(), [b'-', ..]) { -units } else { units })
}

const fn scaled(text: &str) -> Option<Scaled> {
    let bytes = text.as_bytes();
    let (mut digits, mut exponent, mut at, mut decimals) = (0_u64, 0_i64, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            digit @ b'0'..=b'9' => {
                let Some(more) = digits.checked_mul(10) else { return None };
                let Some(more) = more.checked_add((digit - b'0') as u64) else { return None };
                digits = more;
                if decimals {
                    exponent -= 1;
                }
            }
            b'.' => decimals = true,
            b'e' | b'E' => {
                exponent += power(bytes, at + 1);
                break;
            }
            _ => {}
        }
        at += 1;
    }
    Some(Scaled { digits: digits as u128, exponent })
}

const fn power(bytes: &[u8], mut at: usize) -> i64 {
    let (mut value, mut negative) = (0_i64, false);
    while at < bytes.len() {
        match bytes[at] {
            b'-' => negative = true,
            digit @ b'0'..=b'9' if value < 100_000 => value = value * 10 + (digit - b'0') as i64,
            _ => {}
        }
        at += 1;
    }
    if negative { -value } else { value }
}
