//! `Debug` output without the values that users and authors supply, since they may be secret (T68).

use std::fmt;

use serde_json::{Map, Value};

/// The names of an object's fields, without their values.
pub(crate) struct Names<'a>(pub(crate) &'a Map<String, Value>);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

/// Implements `Debug` with the listed fields of a type only.
macro_rules! debug_fields {
    ($name:ident $(<$($parameter:ident $(: $bound:ident)?),+>)? { $($field:ident),* }) => {
        impl $(<$($parameter $(: $bound)?),+>)? std::fmt::Debug for $name $(<$($parameter),+>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use debug_fields;

/// Implements `Debug` with a formatted text.
macro_rules! debug_text {
    ($type:ty $(where $parameter:ident)?, $this:pat => $($text:tt)+) => {
        impl$(<$parameter>)? std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                write!(f, $($text)+)
            }
        }
    };
}
pub(crate) use debug_text;
