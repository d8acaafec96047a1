//! Reads the members of an object, and collects the problems.

use serde_json::{Map, Value};

use super::Values;
use crate::{
    json::{Json, Members, pointer},
    protocol::invalid_id_reason,
    schema::Violation,
};

/// The members of an object that have not been read yet.
pub(super) struct LineFields<'a> {
    members: Members,
    /// The place of the object.
    pointer: String,
    pub(super) values: Values,
    problems: &'a mut Vec<Violation>,
}

impl<'a> LineFields<'a> {
    pub(super) fn of(json: Json, pointer: String, values: Values, problems: &'a mut Vec<Violation>) -> Option<Self> {
        match json {
            Json::Object(members) => Some(Self { members, pointer, values, problems }),
            _ => {
                problems.push(Violation::new(pointer, "must be an object"));
                None
            }
        }
    }

    /// Adds a problem of a member.
    pub(super) fn add(&mut self, name: &str, message: String) {
        self.problems.push(Violation::new(format!("{}/{name}", self.pointer), message));
    }

    pub(super) fn refuse<T>(&mut self, name: &str, message: &str) -> Option<T> {
        self.add(name, message.to_owned());
        None
    }

    /// Adds the problems within a member.
    pub(super) fn add_all(&mut self, name: &str, within: Vec<Violation>) {
        for Violation { pointer, message, .. } in within {
            self.add(&format!("{name}{pointer}"), message);
        }
    }

    /// Takes a member; `null` stands for none.
    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        self.members.remove(name).filter(|value| *value != Json::Null)
    }

    pub(super) fn string(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Json::String(text) => Some(text),
            _ => self.refuse(name, "must be a string"),
        }
    }

    /// Takes a truth value; false if it is missing.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        match self.take(name) {
            None => false,
            Some(Json::Bool(flag)) => flag,
            Some(_) => self.refuse(name, "must be true or false").unwrap_or_default(),
        }
    }

    /// Takes a required string.
    pub(super) fn id(&mut self, name: &str) -> String {
        match self.take(name) {
            Some(Json::String(text)) if !text.is_empty() => return text,
            Some(Json::String(_)) | None => self.add(name, "is required".to_owned()),
            Some(_) => self.add(name, "must be a string".to_owned()),
        }
        String::new()
    }

    /// Takes the required id of an instance or a binding.
    pub(super) fn resource_id(&mut self, name: &str) -> String {
        let id = self.id(name);
        if let Some(why) = invalid_id_reason(&id).filter(|_| !id.is_empty()) {
            self.add(name, why.to_owned());
        }
        id
    }

    pub(super) fn map(&mut self, name: &str) -> Option<Map<String, Value>> {
        match self.take(name).map(Value::from)? {
            Value::Object(map) => Some(map),
            _ => self.refuse(name, "must be an object"),
        }
    }

    pub(super) fn array(&mut self, name: &str) -> Vec<Json> {
        match self.take(name) {
            None => Vec::new(),
            Some(Json::Array(values)) => values,
            Some(_) => self.refuse(name, "must be an array").unwrap_or_default(),
        }
    }

    /// Reads an object within this one.
    pub(super) fn within<T>(&mut self, name: &str, read: impl FnOnce(&mut LineFields<'_>) -> T) -> Option<T> {
        let json = self.take(name)?;
        let mut fields = LineFields::of(json, format!("{}/{name}", self.pointer), self.values, self.problems)?;
        let value = read(&mut fields);
        fields.end();
        Some(value)
    }

    /// Reads an element of an array.
    pub(super) fn element(&mut self, name: &str, at: usize, json: Json) -> Option<LineFields<'_>> {
        LineFields::of(json, format!("{}/{name}/{at}", self.pointer), self.values, self.problems)
    }

    /// Reports the members that were not read.
    pub(super) fn end(self) {
        for (name, _) in self.members.iter() {
            let pointer = pointer::member(&self.pointer, name);
            self.problems.push(Violation::new(pointer, "unknown member"));
        }
    }
}
