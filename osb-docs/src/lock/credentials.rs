//! Compares the credentials of a binding. Applications that read them need the old fields, and ignore new ones.

use super::{
    ChangeKind,
    parameters::{Comparison, Found},
    tree::{Schema, Type},
};

/// Returns all changes from one credentials schema to another.
pub(super) fn compare(old: &Schema, new: &Schema) -> Vec<Found> {
    let mut comparison = Comparison::default();
    comparison.credential(old, new);
    comparison.found
}

impl Comparison {
    fn credential(&mut self, old: &Schema, new: &Schema) {
        match (old.kind, new.kind) {
            (Type::Any, _) | (Type::Number, Type::Integer) => return,
            (was, is) if was != is => return self.push(ChangeKind::CredentialTypeChanged, was.noun(), is.noun()),
            _ if old.tag != new.tag => return self.push(ChangeKind::CredentialTypeChanged, &old.tag, &new.tag),
            _ => {}
        }
        if let (Some(old), Some(new)) = (&old.items, &new.items) {
            self.deeper("/*", |this| this.credential(old, new));
        }
        self.credentials(old, new);
        for (name, was) in &old.variants {
            if let Some(is) = new.variants.get(name) {
                self.deeper(&format!("[{}={name}]", old.tag), |this| this.credentials(was, is));
            }
        }
    }

    fn credentials(&mut self, old: &Schema, new: &Schema) {
        for (name, was) in &old.properties {
            self.property(name, |this| match new.properties.get(name) {
                None => this.push(ChangeKind::CredentialRemoved, "", ""),
                Some(is) => {
                    match (was.required, is.required) {
                        (true, false) => this.push(ChangeKind::CredentialOptional, "", ""),
                        (false, true) => this.push(ChangeKind::CredentialRequired, "", ""),
                        _ => {}
                    }
                    this.credential(was, is);
                }
            });
        }
        for name in new.properties.keys().filter(|name| !old.properties.contains_key(*name)) {
            self.property(name, |this| this.push(ChangeKind::CredentialAdded, "", ""));
        }
    }
}
