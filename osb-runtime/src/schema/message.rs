//! Messages put together inside constants: a panic there can show one string and nothing else.

/// A text of limited length; what doesn't fit is cut off.
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
        // Never the first part of a character only.
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

    /// `name` in backticks.
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

    /// Ends the evaluation with this message.
    #[track_caller]
    pub(crate) const fn panic(&self) -> ! {
        let (text, _) = self.bytes.split_at(self.len);
        match core::str::from_utf8(text) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("a message that is no text"),
        }
    }
}

/// The decimal form of `value`: the end of the array, from the index given.
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
