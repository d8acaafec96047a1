//! Schemas that apply themselves to the same value: a validator never finishes with them, and Cloud Foundry's overflows its
//! stack while it reads the catalog.

use std::{
    collections::{HashMap, HashSet},
    ptr,
};

use crate::json::{Json, Members};

/// A schema to visit, or to leave once those that it applies have been visited.
enum Step<'a> {
    /// With the last reference that led to it.
    Visit(&'a Json, usize),
    Leave(*const Json),
}

/// Returns which references lead back to a schema that applies them to the same value. Each reference is the value of its
/// `$ref`, and the schema to which that leads.
pub(super) fn endless(references: &[(&Json, &Json)]) -> Vec<usize> {
    let indexes: HashMap<_, _> = references.iter().enumerate().map(|(i, (at, _))| (ptr::from_ref(*at), i)).collect();
    let (mut open, mut visited) = (HashSet::new(), HashSet::new());
    let mut found = Vec::new();
    for (first, (_, target)) in references.iter().enumerate() {
        let mut steps = vec![Step::Visit(target, first)];
        while let Some(step) = steps.pop() {
            let (schema, reference) = match step {
                Step::Visit(schema, reference) => (schema, reference),
                Step::Leave(schema) => {
                    open.remove(&schema);
                    continue;
                }
            };
            let address = ptr::from_ref(schema);
            if open.contains(&address) {
                found.push(reference);
            }
            if !visited.insert(address) {
                continue;
            }
            open.insert(address);
            steps.push(Step::Leave(address));
            match schema.get("$ref").map(ptr::from_ref) {
                // Validators of draft-04 ignore the keywords beside a reference.
                Some(at) => steps.extend(indexes.get(&at).map(|next| Step::Visit(references[*next].1, *next))),
                None => steps.extend(applied(schema).map(|part| Step::Visit(part, reference))),
            }
        }
    }
    found
}

/// Returns the parts of a schema that apply to the same value.
fn applied(schema: &Json) -> impl Iterator<Item = &Json> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|word| match schema.get(word) {
        Some(Json::Array(parts)) => Some(parts),
        _ => None,
    });
    let dependencies = schema.get("dependencies").and_then(Json::as_object).into_iter().flat_map(Members::iter);
    lists.flatten().chain(schema.get("not")).chain(dependencies.map(|(_, part)| part))
}
