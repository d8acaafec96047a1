//! Only for code that the macros generate: anything here can change in any release.

pub use core;
pub use std;

pub use crate::catalog::*;
pub use crate::service::{
    Mounted, MountedPlan, No, Offered, OfferedChange, Unchecked, Yes, offering, parameters_info, update_info,
};
pub use serde;
