//! Only for code that the macros generate: anything here can change in any release.

pub use core;
pub use std;
pub use std::{borrow::Cow, fmt, string::String, sync::LazyLock};

pub use regex::Regex;

pub use crate::catalog::*;
pub use crate::service::{Field, MountedPlan, No, Offered, OfferedChange, Part, Unchecked, Yes, mount, update_info};
pub use schemars;
pub use serde;
pub use serde_json::Value;

pub use crate::schema::{
    Known, KnownOut, Through, Unknown, check_option, check_partial, compiled, default_value, quoted, quoted_len,
    schemars_schema, text_of, whole_number, without_partial,
};
