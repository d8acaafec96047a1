//! The items that most tests of the lab broker use: `use osb_lab::prelude::*;`

pub use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

pub use osb_runtime::{
    http::{BrokerService, HttpSettings},
    lifecycle::{Clock, Settings},
    store::Records,
};
pub use serde_json::{Value, json};

pub use crate::{
    Notes,
    direct::Direct,
    lab::{Behaviour, Lab, LabBroker, ids},
    requests::{B, DELETE, I, accepting, bind, binding, change, delete, instance, lab, lab_with, new, new_of},
    until,
    wire::{AUTHORIZATION, Reply, Wire},
};
