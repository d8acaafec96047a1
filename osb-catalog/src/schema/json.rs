//! The writer of draft-04 JSON in constants.
//!
//! It runs twice for a long document, because the length of a constant array has to be known first. Strings are stored with
//! their JSON form, so that the writer only copies slices: const evaluation costs per step, not per byte.

use core::mem::replace;

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
const fn measure(schema: &Schema) -> usize {
    let mut empty = [];
    let mut writer = Writer::measuring(&mut empty);
    writer.document(schema);
    writer.len
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
        let mut writer = Writer::filling(&mut bytes);
        writer.document(schema);
        let len = writer.len;
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
    let mut out = [0; LEN];
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
        if $nullable { concat!("\"type\":[\"", $name, "\",\"null\"]") } else { concat!("\"type\":\"", $name, "\"") }
    };
}

/// The key of a member in one piece, after a comma or as the first one.
macro_rules! key {
    ($name:literal, $comma:expr) => {
        if $comma { concat!(",\"", $name, "\":") } else { concat!("\"", $name, "\":") }
    };
}

/// Writes JSON into a buffer, and measures its length. What doesn't fit into the buffer is only measured.
pub(crate) struct Writer<'a> {
    /// The part of the buffer that is not written yet.
    room: &'a mut [u8],
    pub(crate) len: usize,
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

#[expect(clippy::mem_replace_with_default, reason = "`take` is no constant function")]
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

    pub(crate) const fn flag(&mut self, before: &str, value: bool) {
        self.raw(before);
        self.raw(if value { "true" } else { "false" });
    }

    pub(crate) const fn raw(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Appends `bytes`. Const evaluation takes longest for calls: functions on slices pay off from 64 bytes, and slice patterns
    /// of several bytes below that.
    pub(crate) const fn bytes(&mut self, mut bytes: &[u8]) {
        let (mut room, len) = (replace(&mut self.room, &mut []), bytes.len());
        self.len += len;
        if len > 64 {
            if let Some((here, after)) = room.split_at_mut_checked(len) {
                here.copy_from_slice(bytes);
                self.room = after;
            }
            return;
        }
        copy!(while bytes to room: a to_a b to_b c to_c d to_d e to_e f to_f g to_g h to_h);
        copy!(if bytes to room: a to_a b to_b c to_c d to_d);
        copy!(if bytes to room: a to_a b to_b);
        copy!(if bytes to room: a to_a);
        if !matches!(bytes, [_, ..]) {
            self.room = room;
        }
    }

    pub(crate) const fn integer(&mut self, value: i128) {
        let (digits, at) = digits(value);
        self.bytes(digits.split_at(at).1);
    }

    pub(crate) const fn document(&mut self, schema: &Schema) {
        self.raw("{\"$schema\":\"");
        self.raw(DRAFT_04);
        self.raw("\"");
        self.members(schema, true);
        self.raw("}");
    }

    /// Writes a schema as the value of a member; `key` ends with `:{`.
    const fn schema(&mut self, key: &str, schema: &Schema) {
        self.raw(key);
        self.members(schema, false);
        self.raw("}");
    }

    /// Writes the members of a schema object.
    const fn members(&mut self, schema: &Schema, mut comma: bool) {
        let unconstrained = match schema.kind {
            Kind::Any => true,
            Kind::Foreign(_) => !schema.nullable,
            _ => false,
        };
        if !unconstrained {
            if comma {
                self.raw(",");
            }
            self.kind(&schema.kind, schema.nullable);
            comma = true;
        }
        if let Some(title) = &schema.title {
            self.raw(key!("title", comma));
            self.raw(title.json());
            comma = true;
        }
        if let Some(description) = &schema.description {
            self.raw(key!("description", comma));
            self.raw(description.json());
            comma = true;
        }
        if let Some(default) = &schema.default {
            self.raw(key!("default", comma));
            self.literal(default);
        }
    }

    const fn kind(&mut self, kind: &Kind, nullable: bool) {
        match kind {
            Kind::Boolean => self.raw(of_type!("boolean", nullable)),
            Kind::Integer(rules) => self.whole(rules, nullable),
            Kind::Number(rules) => self.number(rules, nullable),
            Kind::String(rules) => self.string(rules, nullable),
            Kind::Choice(choices) => self.choice(choices, nullable),
            Kind::Array(rules) => self.array(rules, nullable),
            Kind::Map(rules) => self.map(rules, nullable),
            Kind::Object(object) => self.object(object, None, nullable),
            Kind::Tagged(tagged) if nullable => {
                self.raw("\"anyOf\":[{\"type\":\"null\"},{");
                self.tagged(tagged);
                self.raw("}]");
            }
            Kind::Tagged(tagged) => self.tagged(tagged),
            Kind::Foreign(_) if nullable => self.raw("\"anyOf\":[{\"type\":\"null\"},{}]"),
            Kind::Any | Kind::Foreign(_) => {}
        }
    }

    const fn whole(&mut self, rules: &Integer, nullable: bool) {
        self.raw(of_type!("integer", nullable));
        if let Some(minimum) = rules.minimum {
            self.raw(",\"minimum\":");
            self.integer(minimum);
            self.exclusive(",\"exclusiveMinimum\":true", rules.exclusive_minimum);
        }
        if let Some(maximum) = rules.maximum {
            self.raw(",\"maximum\":");
            self.integer(maximum);
            self.exclusive(",\"exclusiveMaximum\":true", rules.exclusive_maximum);
        }
        if let Some(divisor) = rules.multiple_of {
            self.raw(",\"multipleOf\":");
            self.integer(divisor);
        }
    }

    const fn number(&mut self, rules: &Number, nullable: bool) {
        self.raw(of_type!("number", nullable));
        if self.decimal(",\"minimum\":", rules.minimum) {
            self.exclusive(",\"exclusiveMinimum\":true", rules.exclusive_minimum);
        }
        if self.decimal(",\"maximum\":", rules.maximum) {
            self.exclusive(",\"exclusiveMaximum\":true", rules.exclusive_maximum);
        }
        self.decimal(",\"multipleOf\":", rules.multiple_of);
    }

    const fn decimal(&mut self, key: &str, value: Option<Decimal>) -> bool {
        let Some(value) = value else { return false };
        self.raw(key);
        self.raw(value.text);
        true
    }

    const fn exclusive(&mut self, member: &str, exclusive: bool) {
        if exclusive {
            self.raw(member);
        }
    }

    const fn string(&mut self, rules: &StringRules, nullable: bool) {
        self.raw(of_type!("string", nullable));
        self.count(",\"minLength\":", rules.min_length);
        self.count(",\"maxLength\":", rules.max_length);
        if let Some(pattern) = &rules.pattern {
            self.raw(",\"pattern\":");
            self.raw(pattern.source.json());
        }
        if let Some(format) = rules.format {
            self.raw(",\"format\":\"");
            self.raw(format.name());
            self.raw("\"");
        }
    }

    const fn count(&mut self, key: &str, count: Option<u64>) {
        if let Some(count) = count {
            self.raw(key);
            self.integer(count as i128);
        }
    }

    const fn choice(&mut self, choices: &[Choice], nullable: bool) {
        self.raw(of_type!("string", nullable));
        self.raw(",\"enum\":[");
        let mut at = 0;
        while at < choices.len() {
            if at > 0 {
                self.raw(",");
            }
            self.raw(choices[at].value.json());
            at += 1;
        }
        if nullable {
            if at > 0 {
                self.raw(",");
            }
            self.raw("null");
        }
        self.raw("]");
    }

    const fn array(&mut self, rules: &Array, nullable: bool) {
        self.raw(of_type!("array", nullable));
        self.schema(",\"items\":{", rules.items);
        self.count(",\"minItems\":", rules.min_items);
        self.count(",\"maxItems\":", rules.max_items);
        self.exclusive(",\"uniqueItems\":true", rules.unique);
    }

    const fn map(&mut self, rules: &Map, nullable: bool) {
        self.raw(of_type!("object", nullable));
        self.schema(",\"additionalProperties\":{", rules.values);
        self.count(",\"minProperties\":", rules.min_properties);
        self.count(",\"maxProperties\":", rules.max_properties);
    }

    /// Writes an object with fixed property names. `tag` is the name and value of the tag in a variant of a tagged
    /// enum.
    const fn object(&mut self, object: &Object, tag: Option<(Text, Text)>, nullable: bool) {
        self.raw(of_type!("object", nullable));
        self.raw(",\"properties\":{");
        let mut required = 0;
        if let Some((name, value)) = tag {
            self.raw(name.json());
            self.raw(":{\"type\":\"string\",\"enum\":[");
            self.raw(value.json());
            self.raw("]}");
            required += 1;
        }
        let mut at = 0;
        while at < object.properties.len() {
            let property: &Property = &object.properties[at];
            if at > 0 || tag.is_some() {
                self.raw(",");
            }
            self.raw(property.name.json());
            self.schema(":{", &property.schema);
            if property.required {
                required += 1;
            }
            at += 1;
        }
        self.raw("}");
        if required > 0 {
            // Draft-04 forbids an empty list here.
            self.required(object.properties, tag);
        }
        self.exclusive(",\"additionalProperties\":false", !object.open);
    }

    const fn required(&mut self, properties: &[Property], tag: Option<(Text, Text)>) {
        self.raw(",\"required\":[");
        let mut comma = false;
        if let Some((name, _)) = tag {
            self.raw(name.json());
            comma = true;
        }
        let mut at = 0;
        while at < properties.len() {
            if properties[at].required {
                if comma {
                    self.raw(",");
                }
                self.raw(properties[at].name.json());
                comma = true;
            }
            at += 1;
        }
        self.raw("]");
    }

    const fn tagged(&mut self, tagged: &Tagged) {
        self.raw("\"type\":\"object\",\"oneOf\":[");
        let mut at = 0;
        while at < tagged.variants.len() {
            let variant = &tagged.variants[at];
            if at > 0 {
                self.raw(",");
            }
            self.raw("{");
            self.object(&variant.object, Some((tagged.tag, variant.name)), false);
            if let Some(description) = &variant.description {
                self.raw(",\"description\":");
                self.raw(description.json());
            }
            self.raw("}");
            at += 1;
        }
        self.raw("]");
    }

    pub(crate) const fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Null => self.raw("null"),
            Literal::Boolean(true) => self.raw("true"),
            Literal::Boolean(false) => self.raw("false"),
            Literal::Integer(value) => self.integer(*value),
            Literal::Number(value) => self.raw(value.text),
            Literal::String(text) => self.raw(text.json()),
            Literal::Array(items) => {
                self.raw("[");
                let mut at = 0;
                while at < items.len() {
                    if at > 0 {
                        self.raw(",");
                    }
                    self.literal(&items[at]);
                    at += 1;
                }
                self.raw("]");
            }
            Literal::Object(members) => {
                self.raw("{");
                let mut at = 0;
                while at < members.len() {
                    if at > 0 {
                        self.raw(",");
                    }
                    self.raw(members[at].0.json());
                    self.raw(":");
                    self.literal(&members[at].1);
                    at += 1;
                }
                self.raw("}");
            }
        }
    }
}
