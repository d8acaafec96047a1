//! The harness's interface to a broker under test.

use std::{path::Path, process::Command};

use serde_json::Value;

use crate::random::Random;

/// A plan.
#[derive(Debug, Clone, Copy)]
pub struct PlanOf {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// `true` if it is always asynchronous.
    pub is_async: bool,
    /// The indexes of the plans that it can be changed to.
    pub changes_to: &'static [usize],
}

/// The resources that really exist.
#[derive(Debug, Default, PartialEq)]
pub struct Inventory {
    /// Instances with their ids; duplicates appear twice.
    pub instances: Vec<(String, Value)>,
    /// Bindings with the ids of their instances and their own.
    pub bindings: Vec<((String, String), Value)>,
    /// Orphaned resources.
    pub orphans: Vec<String>,
}

/// A broker under test.
pub trait Subject: Sync {
    /// Builds a command that runs the program in this directory.
    fn command(&self, home: &Path) -> Command;

    /// Returns the id of the service.
    fn service(&self) -> &'static str;

    /// Returns the plans of the service.
    fn plans(&self) -> &'static [PlanOf];

    /// Generates parameters of a new instance.
    fn new_instance(&self, random: &mut Random) -> Value;

    /// Generates parameters of an update.
    fn update(&self, random: &mut Random) -> Value;

    /// Generates parameters of a new binding.
    fn new_binding(&self, random: &mut Random) -> Value;

    /// Returns whether an operation with these parameters must fail.
    fn fails(&self, parameters: &Value) -> bool {
        _ = parameters;
        false
    }

    /// Returns the inventory's entry for an instance.
    fn instance(&self, plan: &PlanOf, parameters: &Value) -> Value;

    /// Returns the inventory's entry for a binding.
    fn binding(&self, credentials: &Value) -> Value;

    /// Reads the existing resources, while no process has them open.
    fn inventory(&self, home: &Path) -> Inventory;

    /// Reads the call log, if there is one.
    fn calls(&self, home: &Path) -> Option<String> {
        _ = home;
        None
    }
}
