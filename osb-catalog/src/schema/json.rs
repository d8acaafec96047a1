//! The writer of draft-04 JSON in constants.
//!
//! It runs twice for a long document, because the length of a constant array has to be known first. Strings are stored with
//! their JSON form, so that the writer only copies slices: const evaluation costs per step, not per byte.

use super::model::{
    Array, Choice, Decimal, Integer, Kind, Literal, Map, Number, Object, Property, Schema, StringRules, Tagged, Text,
};
use crate::text::{Message, digits};

/// The `$schema` of all documents. It is the only dialect that all platforms accept (CAT-54).
pub const DRAFT_04: &str = "http://json-schema.org/draft-04/schema#";

/// Maximum size of a schema document in bytes, according to the specification (CAT-53).
pub const MAX_BYTES: usize = 65_536;

/// Returns the length of the document of `schema` in bytes.
#[must_use]
pub(super) const fn measure(schema: &Schema) -> usize {
    let mut empty = [];
    Writer::measuring(&mut empty).document(schema).len
}

/// The document of a schema in the constant catalog, as far as it fits into a page: most do, and needn't be measured before
/// they are written.
#[derive(Debug)]
pub struct Draft {
    bytes: [u8; Self::ROOM],
    len: usize,
}

impl Draft {
    const ROOM: usize = 4096;

    /// Writes the document of `schema`.
    #[must_use]
    pub const fn of(schema: &Schema) -> Self {
        let mut bytes = [0; Self::ROOM];
        if schema.has_foreign() {
            return Self { bytes, len: 0 };
        }
        let len = Writer::filling(&mut bytes).document(schema).len;
        Self { bytes, len }
    }

    /// Returns the length of the document in bytes: 0 if it is known only at run time.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.len
    }
}

/// Returns the document of `schema`. `LEN` is the length of its draft.
#[must_use]
pub const fn render<const LEN: usize>(draft: &Draft, schema: &Schema) -> [u8; LEN] {
    if let Some(whole) = draft.bytes.first_chunk() {
        return *whole;
    }
    write(schema)
}

/// Writes the document of `schema` into a buffer that has room for it.
pub(super) const fn write<const ROOM: usize>(schema: &Schema) -> [u8; ROOM] {
    let mut out = [0; ROOM];
    Writer::filling(&mut out).document(schema);
    out
}

/// Writes the document of `schema` at run time. Each foreign schema is replaced by an empty one;
/// [`fill_foreign`](super::fill_foreign) inserts the real ones.
#[must_use]
pub fn document(schema: &Schema) -> String {
    let mut out = vec![0; measure(schema)];
    Writer::filling(&mut out).document(schema);
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the size of JSON text as platforms count it, in bytes, and as Rails writes it: Cloud Foundry escapes `<`, `>`,
/// `&`, U+2028 and U+2029 as six characters before it counts.
#[must_use]
pub(crate) const fn counted_len(json: &[u8]) -> usize {
    // In const evaluation, reading each byte of a small document would take longer than writing it.
    if json.len() * 6 <= SMALLEST_LIMIT {
        return json.len();
    }
    let (mut len, mut at) = (json.len(), 0);
    while at < json.len() {
        match json[at] {
            b'<' | b'>' | b'&' => len += 5,
            0xE2 if at + 2 < json.len() && json[at + 1] == 0x80 && matches!(json[at + 2], 0xA8 | 0xA9) => len += 3,
            _ => {}
        }
        at += 1;
    }
    len
}

/// Returns whether a document is just below [`MAX_BYTES`].
#[must_use]
pub const fn nearly_too_large(json: &[u8]) -> bool {
    let size = counted_len(json);
    size > SMALLEST_LIMIT && size <= MAX_BYTES
}

/// Below this size, a schema causes neither an error nor a warning.
const SMALLEST_LIMIT: usize = 64_000;

/// Rejects a type whose document `json` is larger than [`MAX_BYTES`].
#[track_caller]
pub const fn check_size(json: &[u8], type_name: &str) {
    if let Some(message) = too_large(json, type_name) {
        message.panic();
    }
}

/// Rejects a plan whose document `json` is too large because of its narrower bounds; that of the type is checked there.
#[track_caller]
pub const fn check_narrowed_size(of_type: &[u8], json: &[u8], plan: &str) {
    if too_large(of_type, plan).is_none() {
        check_size(json, plan);
    }
}

/// Returns the message of [`check_size`].
pub(crate) const fn too_large(json: &[u8], name: &str) -> Option<Message> {
    let size = if json.len() > MAX_BYTES { json.len() } else { counted_len(json) };
    if size <= MAX_BYTES {
        return None;
    }
    let message = Message::new("the schema of ").name(name).text(" has ").integer(size as i128);
    let message =
        message.text(" bytes, but platforms accept at most 65536: shorten the descriptions, or remove parameters");
    let escaped = "; `<`, `>` and `&` count as 6, as Cloud Foundry escapes them";
    Some(message.text(if size > json.len() { escaped } else { "" }))
}

/// The member `type` of a schema, in one piece: const evaluation costs per piece.
macro_rules! of_type {
    ($name:literal, $nullable:expr) => {
        if $nullable {
            const { concat!("\"type\":[\"", $name, "\",\"null\"]").as_bytes() }
        } else {
            const { concat!("\"type\":\"", $name, "\"").as_bytes() }
        }
    };
}

/// The key of a member in one piece, after a comma or as the first one.
macro_rules! key {
    ($name:literal, $comma:expr) => {
        if $comma {
            const { concat!(",\"", $name, "\":").as_bytes() }
        } else {
            const { concat!("\"", $name, "\":").as_bytes() }
        }
    };
}

/// Writes an element of a list at each index, with commas between them.
macro_rules! separated {
    ($writer:ident, $at:ident in $list:expr, $element:expr) => {
        let mut $at = 0;
        while $at < $list.len() {
            if $at > 0 {
                $writer = $writer.bytes(b",");
            }
            $writer = $element;
            $at += 1;
        }
    };
}
pub(crate) use separated;

/// Writes JSON into a buffer, and measures its length. What doesn't fit into the buffer is only measured.
///
/// Its methods take and return it by value: const evaluation takes three calls to replace the buffer behind a reference.
pub(crate) struct Writer<'a> {
    /// The part of the buffer that is not written yet.
    room: &'a mut [u8],
    len: usize,
}

/// Copies bytes one by one while both slices have as many as there are names.
macro_rules! copy {
    ($repeat:ident $bytes:ident to $room:ident: $($from:ident $to:ident)*) => {
        $repeat let [$($from,)* more @ ..] = $bytes
            && let [$($to,)* after @ ..] = $room
        {
            $(*$to = *$from;)*
            ($bytes, $room) = (more, after);
        }
    };
}

impl<'a> Writer<'a> {
    pub(crate) const fn measuring(empty: &'a mut [u8; 0]) -> Self {
        Self::filling(empty)
    }

    pub(crate) const fn filling(out: &'a mut [u8]) -> Self {
        Self { room: out, len: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn flag(self, before: &[u8], value: bool) -> Self {
        self.bytes(before).bytes(if value { b"true" } else { b"false" })
    }

    pub(crate) const fn raw(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// Appends `bytes`. Const evaluation takes longest for calls: functions on slices pay off from 64 bytes, and slice patterns
    /// of several bytes below that.
    pub(crate) const fn bytes(self, mut bytes: &[u8]) -> Self {
        let Self { mut room, len } = self;
        let len = len + bytes.len();
        // Not `is_empty`, which is a call.
        if !matches!(room, [_, ..]) {
            return Self { room, len };
        }
        if bytes.len() > 64 {
            room = match room.split_at_mut_checked(bytes.len()) {
                Some((here, after)) => {
                    here.copy_from_slice(bytes);
                    after
                }
                None => &mut [],
            };
            return Self { room, len };
        }
        copy!(while bytes to room: a to_a b to_b c to_c d to_d e to_e f to_f g to_g h to_h);
        copy!(if bytes to room: a to_a b to_b c to_c d to_d);
        copy!(if bytes to room: a to_a b to_b);
        copy!(if bytes to room: a to_a);
        if matches!(bytes, [_, ..]) {
            room = &mut [];
        }
        Self { room, len }
    }

    pub(crate) const fn integer(self, value: i128) -> Self {
        let (digits, at) = digits(value);
        self.bytes(digits.split_at(at).1)
    }

    pub(crate) const fn document(self, schema: &Schema) -> Self {
        self.raw("{\"$schema\":\"").raw(DRAFT_04).raw("\"").members(schema, true).raw("}")
    }

    /// Writes a schema as the value of a member; `key` ends with `:{`.
    const fn schema(self, key: &[u8], schema: &Schema) -> Self {
        self.bytes(key).members(schema, false).bytes(b"}")
    }

    /// Writes the members of a schema object.
    const fn members(mut self, schema: &Schema, mut comma: bool) -> Self {
        let unconstrained = match schema.kind {
            Kind::Any => true,
            Kind::Foreign(_) => !schema.nullable,
            _ => false,
        };
        if !unconstrained {
            if comma {
                self = self.bytes(b",");
            }
            self = self.kind(&schema.kind, schema.nullable);
            comma = true;
        }
        if let Some(title) = &schema.title {
            self = self.bytes(key!("title", comma)).raw(title.json());
            comma = true;
        }
        if let Some(description) = &schema.description {
            self = self.bytes(key!("description", comma)).raw(description.json());
            comma = true;
        }
        if let Some(default) = &schema.default {
            self = self.bytes(key!("default", comma)).literal(default);
        }
        self
    }

    const fn kind(self, kind: &Kind, nullable: bool) -> Self {
        match kind {
            Kind::Boolean => self.bytes(of_type!("boolean", nullable)),
            Kind::Integer(rules) => self.whole(rules, nullable),
            Kind::Number(rules) => self.number(rules, nullable),
            Kind::String(rules) => self.string(rules, nullable),
            Kind::Choice(choices) => self.choice(choices, nullable),
            Kind::Array(rules) => self.array(rules, nullable),
            Kind::Map(rules) => self.map(rules, nullable),
            Kind::Object(object) => self.object(object, None, nullable),
            Kind::Tagged(tagged) if nullable => {
                self.bytes(b"\"anyOf\":[{\"type\":\"null\"},{").tagged(tagged).bytes(b"}]")
            }
            Kind::Tagged(tagged) => self.tagged(tagged),
            Kind::Foreign(_) if nullable => self.bytes(b"\"anyOf\":[{\"type\":\"null\"},{}]"),
            Kind::Any | Kind::Foreign(_) => self,
        }
    }

    const fn whole(mut self, rules: &Integer, nullable: bool) -> Self {
        self = self.bytes(of_type!("integer", nullable));
        if let Some(minimum) = rules.minimum {
            self = self.bytes(b",\"minimum\":").integer(minimum);
            if rules.exclusive_minimum {
                self = self.bytes(b",\"exclusiveMinimum\":true");
            }
        }
        if let Some(maximum) = rules.maximum {
            self = self.bytes(b",\"maximum\":").integer(maximum);
            if rules.exclusive_maximum {
                self = self.bytes(b",\"exclusiveMaximum\":true");
            }
        }
        if let Some(divisor) = rules.multiple_of {
            self = self.bytes(b",\"multipleOf\":").integer(divisor);
        }
        if let Some(values) = rules.one_of {
            self = self.bytes(b",\"enum\":[");
            separated!(self, at in values, self.integer(values[at]));
            // An enum admits no other value, and `type` alone does not add `null` to it.
            self = self.bytes(if nullable { b",null]" } else { b"]" });
        }
        self
    }

    const fn number(mut self, rules: &Number, nullable: bool) -> Self {
        self = self.bytes(of_type!("number", nullable)).decimal(b",\"minimum\":", rules.minimum);
        if rules.minimum.is_some() && rules.exclusive_minimum {
            self = self.bytes(b",\"exclusiveMinimum\":true");
        }
        self = self.decimal(b",\"maximum\":", rules.maximum);
        if rules.maximum.is_some() && rules.exclusive_maximum {
            self = self.bytes(b",\"exclusiveMaximum\":true");
        }
        self.decimal(b",\"multipleOf\":", rules.multiple_of)
    }

    const fn decimal(self, key: &[u8], value: Option<Decimal>) -> Self {
        match value {
            Some(value) => self.bytes(key).raw(value.text),
            None => self,
        }
    }

    const fn string(mut self, rules: &StringRules, nullable: bool) -> Self {
        self = self.bytes(of_type!("string", nullable));
        self = self.count(b",\"minLength\":", rules.min_length).count(b",\"maxLength\":", rules.max_length);
        if let Some(pattern) = &rules.pattern {
            self = self.bytes(b",\"pattern\":").raw(pattern.source.json());
        }
        if let Some(format) = rules.format {
            self = self.bytes(b",\"format\":\"").raw(format.name()).bytes(b"\"");
        }
        self
    }

    const fn count(self, key: &[u8], count: Option<u64>) -> Self {
        match count {
            Some(count) => self.bytes(key).integer(count as i128),
            None => self,
        }
    }

    const fn choice(mut self, choices: &[Choice], nullable: bool) -> Self {
        self = self.bytes(of_type!("string", nullable)).bytes(b",\"enum\":[");
        separated!(self, at in choices, self.raw(choices[at].value.json()));
        if nullable {
            self = self.bytes(if choices.is_empty() { b"null" } else { b",null" });
        }
        self.bytes(b"]")
    }

    const fn array(mut self, rules: &Array, nullable: bool) -> Self {
        self = self.bytes(of_type!("array", nullable)).schema(b",\"items\":{", rules.items);
        self = self.count(b",\"minItems\":", rules.min_items).count(b",\"maxItems\":", rules.max_items);
        if rules.unique {
            self = self.bytes(b",\"uniqueItems\":true");
        }
        self
    }

    const fn map(self, rules: &Map, nullable: bool) -> Self {
        self.bytes(of_type!("object", nullable))
            .schema(b",\"additionalProperties\":{", rules.values)
            .count(b",\"minProperties\":", rules.min_properties)
            .count(b",\"maxProperties\":", rules.max_properties)
    }

    /// Writes an object with fixed property names. `tag` is the name and value of the tag in a variant of a tagged
    /// enum.
    const fn object(mut self, object: &Object, tag: Option<(Text, Text)>, nullable: bool) -> Self {
        self = self.bytes(of_type!("object", nullable)).bytes(b",\"properties\":{");
        let mut required = 0;
        if let Some((name, value)) = tag {
            self = self.raw(name.json()).bytes(b":{\"type\":\"string\",\"enum\":[").raw(value.json()).bytes(b"]}");
            required += 1;
        }
        let mut at = 0;
        while at < object.properties.len() {
            let property: &Property = &object.properties[at];
            if at > 0 || tag.is_some() {
                self = self.bytes(b",");
            }
            self = self.raw(property.name.json()).schema(b":{", &property.schema);
            if property.required {
                required += 1;
            }
            at += 1;
        }
        self = self.bytes(b"}");
        if required > 0 {
            // Draft-04 forbids an empty list here.
            self = self.required(object.properties, tag);
        }
        if object.open { self } else { self.bytes(b",\"additionalProperties\":false") }
    }

    const fn required(mut self, properties: &[Property], tag: Option<(Text, Text)>) -> Self {
        self = self.bytes(b",\"required\":[");
        let mut comma = false;
        if let Some((name, _)) = tag {
            self = self.raw(name.json());
            comma = true;
        }
        let mut at = 0;
        while at < properties.len() {
            if properties[at].required {
                if comma {
                    self = self.bytes(b",");
                }
                self = self.raw(properties[at].name.json());
                comma = true;
            }
            at += 1;
        }
        self.bytes(b"]")
    }

    const fn tagged(mut self, tagged: &Tagged) -> Self {
        self = self.bytes(b"\"type\":\"object\",\"oneOf\":[");
        let mut at = 0;
        while at < tagged.variants.len() {
            let variant = &tagged.variants[at];
            self = self.bytes(if at > 0 { b",{" } else { b"{" }).object(
                &variant.object,
                Some((tagged.tag, variant.name)),
                false,
            );
            if let Some(description) = &variant.description {
                self = self.bytes(b",\"description\":").raw(description.json());
            }
            self = self.bytes(b"}");
            at += 1;
        }
        self.bytes(b"]")
    }

    pub(crate) const fn literal(mut self, literal: &Literal) -> Self {
        match literal {
            Literal::Null => self.bytes(b"null"),
            Literal::Boolean(true) => self.bytes(b"true"),
            Literal::Boolean(false) => self.bytes(b"false"),
            Literal::Integer(value) => self.integer(*value),
            Literal::Number(value) => self.raw(value.text),
            Literal::String(text) => self.raw(text.json()),
            Literal::Array(items) => {
                self = self.bytes(b"[");
                separated!(self, at in items, self.literal(&items[at]));
                self.bytes(b"]")
            }
            Literal::Object(members) => {
                self = self.bytes(b"{");
                separated!(self, at in members, self.raw(members[at].0.json()).bytes(b":").literal(&members[at].1));
                self.bytes(b"}")
            }
        }
    }
}
