//! Messages that are composed in const evaluation, where a panic can only show one string.

/// A text of limited length. Longer text is truncated.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    bytes: [u8; Self::ROOM],
    len: usize,
}

impl Message {
    const ROOM: usize = 512;

    pub(crate) const fn new(text: &str) -> Self {
        Self { bytes: [0; Self::ROOM], len: 0 }.text(text)
    }

    pub(crate) const fn text(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut room = Self::ROOM - self.len;
        if room > text.len() {
            room = text.len();
        }
        // Don't cut a character in two.
        while room < text.len() && text[room] & 0b1100_0000 == 0b1000_0000 {
            room -= 1;
        }
        let mut at = 0;
        while at < room {
            self.bytes[self.len + at] = text[at];
            at += 1;
        }
        self.len += room;
        self
    }

    /// Appends another message.
    pub(crate) const fn message(self, other: &Self) -> Self {
        self.text(other.get())
    }

    /// Returns the text.
    pub(crate) const fn get(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.len);
        match core::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => "a message is not UTF-8",
        }
    }

    /// Appends `name` in backticks.
    pub(crate) const fn name(self, name: &str) -> Self {
        self.text("`").text(name).text("`")
    }

    pub(crate) const fn integer(self, value: i128) -> Self {
        let (digits, from) = digits(value);
        let (_, digits) = digits.split_at(from);
        match core::str::from_utf8(digits) {
            Ok(digits) => self.text(digits),
            Err(_) => self,
        }
    }

    /// Ends const evaluation with this message.
    #[track_caller]
    pub(crate) const fn panic(&self) -> ! {
        panic!("{}", self.get())
    }
}

/// Returns the decimal digits of `value`, at the end of the array from the returned index on.
pub(crate) const fn digits(value: i128) -> ([u8; 40], usize) {
    let mut out = [0; 40];
    let mut at = out.len();
    let mut left = value.unsigned_abs();
    loop {
        at -= 1;
        out[at] = b"0123456789"[(left % 10) as usize];
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        out[at] = b'-';
    }
    (out, at)
}
