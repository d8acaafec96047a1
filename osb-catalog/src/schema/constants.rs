//! Constants of the author's whose names stand in constraints and defaults: their types, and the JSON of a text.

/// The types of constants whose names can stand for whole numbers. Fractions would be truncated.
#[diagnostic::on_unimplemented(
    message = "the constant for a whole number has the type `{Self}`",
    label = "not the name of a constant with a whole number",
    note = "write the digits here, which can be a fraction for an `f64`, or the name of a constant like `const MAX: u32 = 10;`"
)]
pub trait WholeNumber {
    /// The type itself. Of another type it is unknown, so that the compiler reports nothing else.
    type Itself;
}

/// The types of constants whose names can stand for a text.
#[diagnostic::on_unimplemented(
    message = "the constant for a text has the type `{Self}`",
    label = "not the name of a constant with a text",
    note = "write the text here, or the name of a constant like `const REGION: &str = \"eu\";`"
)]
pub trait ConstantText {
    /// See [`WholeNumber::Itself`].
    type Itself;
}

/// The types of constants whose names can stand for `true` or `false`.
#[diagnostic::on_unimplemented(
    message = "the constant for a `bool` has the type `{Self}`",
    label = "not the name of a constant with `true` or `false`",
    note = "write `true` or `false` here, or the name of a constant like `const ON: bool = true;`"
)]
pub trait ConstantFlag {
    /// See [`WholeNumber::Itself`].
    type Itself;
}

macro_rules! constants {
    ($of:ident: $($name:ty)*) => {$(
        #[diagnostic::do_not_recommend] // a list of them is no help
        impl $of for $name {
            type Itself = $name;
        }
    )*};
}
// All are in the range of `i128`, to which generated code converts them.
constants!(WholeNumber: u8 u16 u32 u64 usize i8 i16 i32 i64 i128 isize);
constants!(ConstantText: &'static str);
constants!(ConstantFlag: bool);

/// Returns `value`, whose type is that of a whole number.
pub const fn whole_number<T: WholeNumber<Itself = T> + Copy>(value: T) -> T::Itself {
    value
}

/// Returns `value`, whose type is that of a text.
pub const fn constant_text<T: ConstantText<Itself = T> + Copy>(value: T) -> T::Itself {
    value
}

/// Returns `value`, whose type is `bool`.
pub const fn constant_flag<T: ConstantFlag<Itself = T> + Copy>(value: T) -> T::Itself {
    value
}

/// Returns the length of the result of [`quoted`].
#[must_use]
pub const fn quoted_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut len) = (0, 2);
    while at < bytes.len() {
        len += escape(bytes[at]).1;
        at += 1;
    }
    len
}

/// Converts `text` to a JSON string, including the quotes.
#[must_use]
pub const fn quoted<const LEN: usize>(text: &str) -> [u8; LEN] {
    let bytes = text.as_bytes();
    let mut out = [b'"'; LEN];
    let (mut at, mut to) = (0, 1);
    while at < bytes.len() {
        let (escape, len) = escape(bytes[at]);
        let mut part = 0;
        while part < len {
            out[to + part] = escape[part];
            part += 1;
        }
        to += len;
        at += 1;
    }
    out
}

/// Converts UTF-8 to a string.
///
/// # Panics
///
/// At compile time, if `bytes` is not UTF-8.
#[must_use]
pub const fn text_of(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a generated text is not UTF-8"),
    }
}

/// Escapes a byte of a JSON string. Returns the escaped bytes and their number.
const fn escape(byte: u8) -> ([u8; 6], usize) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => ([b'\\', byte, 0, 0, 0, 0], 2),
        0..0x20 => ([b'\\', b'u', b'0', b'0', HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]], 6),
        _ => ([byte, 0, 0, 0, 0, 0], 1),
    }
}
