//! Only for code that the macros generate, and for these crates: anything here can change in any release.

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

pub use osb_catalog::__private::*;

pub use crate::catalog::*;
#[cfg(feature = "failpoints")]
pub use crate::failpoint::armed::reach;
pub use crate::service::{
    ChangeFallback, Checked, Fallback, FallbackFor, Field, HasPlanAttribute, HasServiceAttribute, InstanceState,
    MountedPlan, No, OfferFallback, Offered, OfferedChange, Once, PlanFallback, PlanOfThisService, Probe,
    ServiceFallback, ServicePart, Unchecked, Yes, changes_plan, has_handlers, is_family, is_offered, is_parameters,
    is_plan, is_service, is_shareable, mount, place, provisions,
};

// Names that no author imports, for generated code with the spans of the author's: to the lint `unused_qualifications`,
// a path to an imported name looks needlessly long there.
pub use crate::schema::{Parameter as ParameterTrait, Parameters as ParametersTrait};
