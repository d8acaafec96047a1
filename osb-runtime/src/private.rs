//! Only for code that the macros generate: anything here can change in any release.

pub use core;
pub use std;

pub use crate::catalog::*;
pub use crate::service::{Field, MountedPlan, No, Offered, OfferedChange, Part, Unchecked, Yes, mount};
pub use serde;
