//! Only for code that the macros generate: anything here can change in any release.

pub use core;
pub use std;
pub use std::{
    borrow::Cow,
    fmt, format_args,
    option::Option::{self, None, Some},
    primitive::{bool, i128, str, u8, u64},
    result::Result,
    sync::LazyLock,
};

pub use regex::Regex;

pub use crate::catalog::*;
pub use crate::service::{
    Attributed, Checked, FallbackFor, Field, InstanceState, MountedPlan, No, Offered, OfferedChange, Otherwise, Part,
    PlanFallback, Probe, Unchecked, Yes, is_plan, mount, provisions, update_info,
};
pub use schemars;
pub use serde;
pub use serde_json::Value;

pub use crate::schema::{
    Change, Changed, Choice, CredentialsSchema, Decimal, Format, Kind, Limit, Literal, Narrowing, NoParameters,
    NoSerde, Object, Parameter, Parameters, Pattern, Property, ReadMembers, Rule, Schema, SerdeProbe, Tagged, Text,
    Variant, ViaSerde, ViaSerialize, check_constraint, check_literal, check_narrowing, check_narrowing_rule,
    check_partial, check_rule, check_size, compiled, constant_flag, constant_text, counted_len, default_value,
    has_elements, is_parameter, narrowed, property_count, published, quoted, quoted_len, read_change, read_object,
    read_part, render, required, schema_of, schemars_schema, text_of, whole_number, with_properties, without_partial,
};

// Names that no author imports, for generated code with the spans of the author's: to the lint `unused_qualifications`,
// a path to an imported name looks needlessly long there.
pub use crate::schema::{Parameter as ParameterTrait, Parameters as ParametersTrait};
