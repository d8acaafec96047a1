//! Traits that the attributes implement are implemented by hand.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

plans!(Free);

/// 1 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;

provisions!(Kv);

impl Bindable for Free {}
impl Updatable for Free {}

impl osb_runtime::service::Family for Pro {}
impl osb_runtime::service::Changes<Free, Pro> for Kv {}
