//! Writes a schema as draft-04 JSON inside a constant.
//!
//! Run twice, as [`measure`] and [`render`], because a constant's length has to be known before its bytes are. Every
//! string comes with its JSON form, so that the work is copying slices: const evaluation pays per step, not per byte.

use super::model::{Kind, Literal, Object, Schema};

/// The `$schema` of every document, the only dialect that every platform accepts (CAT-54).
pub const DRAFT_04: &str = "http://json-schema.org/draft-04/schema#";

/// The limit of the specification for one schema document (CAT-53), in bytes.
pub const MAX_BYTES: usize = 65_536;

/// How many bytes the document of `schema` has.
#[must_use]
pub const fn measure(schema: &Schema) -> usize {
    let mut nowhere = [];
    let mut writer = Writer::measuring(&mut nowhere);
    writer.document(schema);
    writer.len
}

/// The document of `schema`; `LEN` is what [`measure`] said.
#[must_use]
pub const fn render<const LEN: usize>(schema: &Schema) -> [u8; LEN] {
    let mut out = [0; LEN];
    let mut writer = Writer::filling(&mut out);
    writer.document(schema);
    out
}

pub(crate) struct Writer<'a> {
    out: &'a mut [u8],
    len: usize,
    filling: bool,
}

impl<'a> Writer<'a> {
    pub(crate) const fn measuring(nowhere: &'a mut [u8; 0]) -> Self {
        Self { out: nowhere, len: 0, filling: false }
    }

    pub(crate) const fn filling(out: &'a mut [u8]) -> Self {
        Self { out, len: 0, filling: true }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }
    pub(crate) const fn bytes(&mut self, bytes: &[u8]) {
        if self.filling {
            let (_, rest) = self.out.split_at_mut(self.len);
            let (here, _) = rest.split_at_mut(bytes.len());
            here.copy_from_slice(bytes);
        }
        self.len += bytes.len();
    }
    pub(crate) const fn flag(&mut self, before: &str, value: bool) {
        self.raw(before);
        self.raw(if value { "true" } else { "false" });
    }
    pub(crate) const fn raw(&mut self, text: &str) {
        let bytes = text.as_bytes();
        if self.filling {
            let (_, rest) = self.out.split_at_mut(self.len);
            let (here, _) = rest.split_at_mut(bytes.len());
            here.copy_from_slice(bytes);
        }
        self.len += bytes.len();
    }

    const fn document(&mut self, schema: &Schema) {
        self.raw("{\"$schema\":\"");
        self.raw(DRAFT_04);
        self.raw("\"");
        self.keywords(schema);
        self.raw("}");
    }

    /// The members of a schema's object, each with a comma before it.
    const fn keywords(&mut self, schema: &Schema) {
        let _ = (schema, Kind::Any, Literal::Null, Object { properties: &[], open: true });
    }
}
