//! The fields of parameters and credentials: a table, and below it what a cell has no room for.

use super::{
    escape::{block, code, paragraphs, text},
    table::table,
    words,
};
use crate::schema::{Choice, Kind, Object, Property, Schema, Tagged};

/// What the fields are for, which decides what is worth saying of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// A user gives them.
    Parameters,
    /// A user gets them.
    Credentials,
}

/// What can be said of the fields of `schema`; `None` if it has none.
pub(super) fn fields(schema: &Schema, what: Use) -> Option<String> {
    let mut fields = Fields { what, rows: Vec::new(), below: Vec::new() };
    match &schema.kind {
        Kind::Object(object) if object.properties.is_empty() && !object.open => return None,
        Kind::Object(object) => fields.object("", "", object),
        _ => fields.inside("", schema),
    }
    if let Kind::Object(Object { open: true, .. }) = schema.kind {
        let note = match what {
            Use::Parameters => "Other names are accepted too, and ignored.\n",
            Use::Credentials => "There may be more fields.\n",
        };
        fields.below.push(note.to_owned());
    }
    Some(fields.finish())
}

struct Fields {
    what: Use,
    rows: Vec<[String; 4]>,
    /// Lists of choices, tables of variants and the like, in order.
    below: Vec<String>,
}

impl Fields {
    fn finish(self) -> String {
        let header = match self.what {
            Use::Parameters => ["Parameter", "Value", "Required", "Description"],
            Use::Credentials => ["Field", "Value", "Always there", "Description"],
        };
        let mut parts = vec![table(header, &self.rows)];
        parts.extend(self.below);
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }

    /// The rows of an object's properties; `path` is where the object is, `within` what its properties belong to.
    fn object(&mut self, path: &str, within: &str, object: &Object) {
        for property in object.properties {
            let path = join(path, property.name.get());
            self.rows.push([
                code(&path),
                words::value(&property.schema),
                self.need(within, property),
                description(&property.schema),
            ]);
            self.inside(&path, &property.schema);
        }
    }

    fn need(&self, within: &str, property: &Property) -> String {
        let mut words = Vec::new();
        words.push(match (self.what, property.required) {
            (Use::Credentials, true) => "yes".to_owned(),
            (Use::Credentials, false) => "no".to_owned(),
            (Use::Parameters, true) if within.is_empty() => "**yes**".to_owned(),
            (Use::Parameters, true) => format!("**yes**, in {}", code(within)),
            (Use::Parameters, false) => match &property.schema.default {
                Some(default) => format!("no, default {}", code(&words::literal(default).to_string())),
                None => "no".to_owned(),
            },
        });
        if property.immutable && self.what == Use::Parameters {
            words.push("fixed once chosen".to_owned());
        }
        if property.schema.secret {
            words.push("secret".to_owned());
        }
        words.join("; ")
    }

    /// What the value at `path` is made of, if it is made of anything.
    fn inside(&mut self, path: &str, schema: &Schema) {
        match &schema.kind {
            Kind::Object(object) => self.object(path, path, object),
            Kind::Array(array) => self.inside(&format!("{path}[]"), array.items),
            Kind::Map(map) => self.inside(&join(path, "*"), map.values),
            Kind::Choice(choices) => self.choices(path, choices),
            Kind::Tagged(tagged) => self.variants(path, tagged),
            Kind::Foreign(foreign) => {
                let schema = serde_json::to_string_pretty(&(foreign.schema)()).unwrap_or_default();
                self.below.push(format!("The schema of {}:\n\n{}", code(path), block("json", &schema)));
            }
            _ => {}
        }
    }

    fn choices(&mut self, path: &str, choices: &[Choice]) {
        let described: Vec<_> = choices.iter().filter_map(|c| Some((c.value.get(), c.description?.get()))).collect();
        if !described.is_empty() {
            let items = described.iter().map(|(value, meaning)| format!("* {}: {}\n", code(value), text(meaning)));
            self.below.push(format!("What {} can be:\n\n{}", code(path), items.collect::<String>()));
        }
    }

    fn variants(&mut self, path: &str, tagged: &Tagged) {
        let tag = join(path, tagged.tag.get());
        for variant in tagged.variants {
            let mut part = format!("With {} = {}", code(&tag), code(variant.name.get()));
            if let Some(meaning) = variant.description {
                part += &format!(": {}", text(meaning.get()));
            }
            let mut fields = Self { what: self.what, rows: Vec::new(), below: Vec::new() };
            fields.object(path, "", &variant.object);
            let fields = fields.finish();
            part += &if fields.is_empty() { " (no other fields)\n".to_owned() } else { format!("\n\n{fields}") };
            self.below.push(part);
        }
    }
}

fn description(schema: &Schema) -> String {
    let mut sentences: Vec<String> = Vec::new();
    if let Some(title) = schema.title {
        sentences.push(format!("**{}**", text(title.get())));
    }
    if let Some(description) = schema.description {
        sentences.push(paragraphs(description.get()).replace("\n\n", " "));
    }
    let examples: Vec<_> = schema.examples.iter().map(|example| code(&words::literal(example).to_string())).collect();
    // An example of a secret is one that somebody will use.
    if !examples.is_empty() && !schema.secret {
        if let Some(last) = sentences.last_mut().filter(|last| !last.ends_with(['.', '!', '?', ':'])) {
            last.push('.');
        }
        sentences.push(format!("For example {}.", examples.join(" or ")));
    }
    sentences.join(" ")
}

/// `backup.window`; a name that has a meaning of its own in a path is put in quotes.
fn join(path: &str, name: &str) -> String {
    let name = if name != "*" && name.contains(['.', '[', ']', '*', '"', ' ']) {
        serde_json::Value::from(name).to_string()
    } else {
        name.to_owned()
    };
    if path.is_empty() { name } else { format!("{path}.{name}") }
}
