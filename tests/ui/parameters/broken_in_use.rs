//! Types with a mistake, and their partial types, are there for other code all the same: only one error about each.

#![deny(warnings)]

use osb_runtime::prelude::*;

// Mistake: Words that `#[parameters]` doesn't have; the type of the update is there all the same.
/// The parameters of a new store.
#[parameters(update = StoreChanges)]
pub struct NewStore {
    /// The label.
    pub label: Option<String>,
}

/// A number.
#[parameters(try_from = "u16")]
pub struct Count(pub u16);

pub fn label(changes: StoreChanges) -> Change<String> {
    changes.label
}

// Mistake: The name of the partial type is in quotes: the type is there all the same.
#[parameters(partial = "QueueChanges")]
#[derive(Debug)]
pub struct NewQueue {
    #[param(default = 60)]
    pub ttl: u32,
}

pub fn ttl(changes: QueueChanges) -> Change<u32> {
    changes.ttl
}

// Mistake: The name of the partial type is missing: the type is there under its usual name.
#[parameters(partial)]
pub struct NewTopic {
    #[param(default = 60)]
    pub ttl: u32,
}

pub fn topic_ttl(changes: TopicChanges) -> Change<u32> {
    changes.ttl
}

// Mistake: Parameters with a mistake have a partial type that is used: only one error.
#[parameters(partial = DiskChanges)]
pub struct NewDisk {
    #[param(defualt = 3, default = 3)]
    pub size: u32,
    pub name: Option<String>,
}

// Mistake: Parameters with a mistake have a field that is left out, with its type: only one error.
#[parameters(partial = DriveChanges)]
pub struct NewDrive {
    #[param(defualt = 3, default = 3)]
    pub size: u32,
    #[cfg(target_os = "none")]
    pub path: missing::Path,
}

// Mistake: Credentials with a mistake are printed: only one error.
#[credentials]
pub struct Access {
    #[param(pubic)]
    pub uri: String,
}

pub fn show(access: &Access) {
    println!("{access:?}");
}

pub fn changed(changes: DiskChanges) -> Option<u32> {
    changes.size.value().copied()
}

pub fn used(new: NewDisk) -> u32 {
    new.size
}

const _: &[u8] = <NewDisk as Parameters>::JSON;

// Mistake: Parameters with a mistake have a partial type that is printed and compared: only one error.
#[parameters(partial = LogChanges)]
#[derive(Debug, Clone, PartialEq)]
pub struct NewLog {
    #[param(defualt = 3)]
    pub days: u32,
    #[param(secret)]
    pub key: Option<String>,
}

pub fn differ(changes: &LogChanges) -> bool {
    println!("{changes:?}");
    changes.clone() != *changes
}

// Mistake: A field is an `Instant`, which other code prints.
#[parameters(partial = LeaseChanges)]
pub struct NewLease {
    pub until: std::time::Instant,
}

pub fn print(new: &NewLease) {
    println!("{}", new.until);
}

// Mistake: In a type with `partial`, an array that is too long is one mistake too.
#[parameters(partial = KeyChanges)]
pub struct NewKey {
    pub key: Option<[u8; 64]>,
    pub ttl: u32,
}

// Mistake: An enum has a mistake: no error about the default of a field of that type.
#[parameters(rename_al = "lowercase")]
#[derive(Debug)]
pub enum Region {
    Eu,
    Us,
}

#[parameters]
#[derive(Debug)]
pub struct Place {
    #[param(default = "eu")]
    pub region: Region,
}

const _: &[u8] = <Place as Parameters>::JSON;

// Mistake: An enum of strings has a mistake: only one error.
#[parameters(rename_all = lowercase)]
pub enum Level {
    Low,
    High,
}

// Mistake: An enum of strings has a variant with a value: only one error.
#[parameters]
pub enum Policy {
    Strict,
    Custom(u8),
}

// Mistake: A generic enum of strings is printed: only one error.
#[parameters]
pub enum Mode<const N: u8> {
    On,
    Off,
}

pub fn print_texts(level: &Level, policy: &Policy, mode: &Mode<3>) -> String {
    println!("{level} {}", level.as_str());
    format!("{policy} {mode}")
}

fn main() {}
