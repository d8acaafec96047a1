//! What the harness has to know about a broker to test it.

use std::{path::Path, process::Command};

use serde_json::Value;

use crate::random::Random;

/// A plan, as far as it matters.
#[derive(Debug, Clone, Copy)]
pub struct PlanOf {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Whether it has to be polled for.
    pub is_async: bool,
    /// The plans that it can be changed to, by their places in the list.
    pub changes_to: &'static [usize],
}

/// What really exists, whatever the broker says.
#[derive(Debug, Default, PartialEq)]
pub struct Inventory {
    /// Instances by their ids, with what is known of them; the same id twice if there are two.
    pub instances: Vec<(String, Value)>,
    /// Bindings, by the ids of their instance and their own.
    pub bindings: Vec<((String, String), Value)>,
    /// What is there and belongs to nothing.
    pub strays: Vec<String>,
}

/// A broker under test.
pub trait Subject: Sync {
    /// The program, at home in this folder.
    fn command(&self, home: &Path) -> Command;

    /// The id of its service.
    fn service(&self) -> &'static str;

    /// The plans of the service.
    fn plans(&self) -> &'static [PlanOf];

    /// Parameters of a new instance.
    fn new_instance(&self, random: &mut Random) -> Value;

    /// Parameters of an update.
    fn update(&self, random: &mut Random) -> Value;

    /// Parameters of a new binding.
    fn new_binding(&self, random: &mut Random) -> Value;

    /// Whether an operation with these parameters is bound to fail.
    fn fails(&self, parameters: &Value) -> bool;

    /// What the inventory has to say of an instance.
    fn instance(&self, plan: &PlanOf, parameters: &Value) -> Value;

    /// What the inventory has to say of a binding.
    fn binding(&self, credentials: &Value) -> Value;

    /// Reads what really exists. No process has it open.
    fn inventory(&self, home: &Path) -> Inventory;

    /// The notes about calls of handlers, if there are any.
    fn calls(&self, home: &Path) -> Option<String>;
}
