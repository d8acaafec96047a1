//! JSON Schemas of parameters, as constants.
//!
//! One [`Schema`] drives everything about a parameter type: the draft-04 document in the catalog, the validation of
//! requests, the documentation, and the partial type for updates. `#[parameters]` creates it for the author's types,
//! and this crate for the types of the standard library.

mod builder;
mod compare;
mod constants;
mod constraints;
mod decimal;
mod document;
mod foreign;
mod format;
mod generated;
mod immutable;
pub(crate) mod json;
mod literal;
mod members;
mod metaschema;
mod model;
mod named;
mod narrow;
mod parameter;
mod probe;
mod recursion;
mod runs;
mod standard;
mod update;
mod validate;
mod value;

pub use compare::{canonical, nearest};
pub use decimal::is_multiple;
pub use document::fill_foreign;
pub use foreign::Foreign;
pub use immutable::{IMMUTABLE, changed_immutables, is_immutable};
pub(crate) use json::too_large;
pub use json::{DRAFT_04, MAX_BYTES, document};
pub use metaschema::{SchemaProblem, check_document, schema_problems};
pub use model::{
    Array, Choice, Decimal, ForeignType, Format, Integer, Kind, Literal, Map, Number, Object, Pattern, Property,
    Schema, StringRules, Tagged, Text, Variant,
};
pub(crate) use narrow::{misplaced, narrow_at_start, pair, same_property, wider};
pub use parameter::{Change, CredentialsSchema, NoParameters, Parameter, Parameters};
pub(crate) use validate::whole;
pub use validate::{Violation, ViolationKind, check};
pub use value::{
    DecodedParameters, decode, decode_as, decode_stored, known, lasting, merge, renamed, with_defaults, with_unknown,
    without_secrets,
};

// For generated code. The compiler's messages name items by their public path, which is then `schema::ConstantText`.
#[doc(hidden)]
pub use {
    builder::{Limit, Rule},
    constants::{
        ConstantFlag, ConstantText, WholeNumber, constant_flag, constant_text, quoted, quoted_len, text_of,
        whole_number,
    },
    constraints::{check_constraint, check_rule, has_elements, mismatch},
    foreign::schemars_schema,
    generated::{
        Changed, check_distinct, check_partial, compiled, default_value, is_parameter, schema_of, without_partial,
    },
    json::{Draft, check_narrowed_size, check_size, nearly_too_large, render},
    literal::check_literal,
    members::{
        MaybeAbsent, MemberWriter, ReadMembers, WriteMembers, read_change, read_object, read_part, required,
        write_object,
    },
    named::{check_named, document_of},
    narrow::{
        Narrowed, Narrowing, check_narrowed_once, check_narrowing, check_narrowing_rule, disjoint, narrowed,
        property_count, with_properties,
    },
    probe::{NoSerde, SerdeProbe, ViaSerde, ViaSerialize},
    runs::{Run, match_runs},
    update::check_update_parameters,
};

#[cfg(test)]
#[path = "../../tests/unit/schema.rs"]
mod tests;
