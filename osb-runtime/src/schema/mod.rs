//! JSON Schemas of parameters, as constants.
//!
//! One [`Schema`] drives everything about a parameter type: the draft-04 document in the catalog, the validation of
//! requests, the documentation, and the partial type for updates. `#[parameters]` creates it for the author's types,
//! and this crate for the types of the standard library.

mod check;
mod constrain;
mod decimal;
mod document;
mod foreign;
mod format;
mod generated;
mod json;
mod legal;
mod literal;
mod message;
mod metaschema;
mod model;
mod narrow;
mod parameter;
mod same;
mod standard;
pub(crate) mod uri;
mod value;

pub use check::{Violation, check};
pub use document::fill_foreign;
pub use foreign::Foreign;
pub use json::{DRAFT_04, MAX_BYTES, document};
pub use metaschema::{Flaw, check_document, flaws};
pub use model::{
    Array, Choice, Decimal, External, Format, Integer, Kind, Literal, Map, Number, Object, Pattern, Property, Schema,
    StringRules, Tagged, Text, Variant,
};
pub use parameter::{Change, CredentialsSchema, NoParameters, Parameter, Parameters};
pub(crate) use value::{Stored, decode_as, decode_stored, known, renamed};
pub use value::{decode, merge, with_defaults, without_secrets};

#[doc(hidden)]
pub use constrain::{Limit, Rule};
pub use decimal::is_multiple;
pub(crate) use message::Message;
pub use same::{canonical, nearest};
pub(crate) use same::{hash_ignoring_case, same, same_ignoring_case};
pub(crate) mod writer {
    pub(crate) use super::json::Writer;
}
#[doc(hidden)]
pub use foreign::schemars_schema;
#[doc(hidden)]
pub use generated::{
    Changed, ConstantFlag, ConstantText, NoSerde, ReadMembers, SerdeProbe, ViaSerde, ViaSerialize, WholeNumber,
    check_partial, compiled, constant_flag, constant_text, default_value, is_parameter, quoted, quoted_len,
    read_change, read_object, read_part, required, schema_of, text_of, whole_number, without_partial,
};
#[doc(hidden)]
pub use json::{check_size, counted_len, measure, published, render};
#[doc(hidden)]
pub use legal::{check_constraint, check_rule, has_elements};
#[doc(hidden)]
pub use literal::check_literal;
#[doc(hidden)]
pub use narrow::{Narrowing, check_narrowing, check_narrowing_rule, narrowed, property_count, with_properties};
