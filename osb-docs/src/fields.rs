//! The fields of parameters and credentials: a table, and below it what a cell has no room for.

use super::{
    document::{Block, Language, Sample, Table, Words, paragraphs},
    words,
};
use osb_runtime::schema::{Choice, Kind, Object, Property, Schema, Tagged};

/// What the fields are for, which decides what is worth saying of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// A user gives them.
    Parameters,
    /// A user gets them.
    Credentials,
}

/// What can be said of the fields of `schema`; nothing if it has none.
pub(super) fn fields(schema: &Schema, what: Use) -> Vec<Block> {
    let mut fields = Fields::of(what);
    match &schema.kind {
        Kind::Object(object) if object.properties.is_empty() && !object.open => return Vec::new(),
        Kind::Object(object) => fields.object("", "", object),
        _ => fields.inside("", schema),
    }
    if let Kind::Object(Object { open: true, .. }) = schema.kind {
        let note = match what {
            Use::Parameters => "Other names are accepted too, and ignored.",
            Use::Credentials => "There may be more fields.",
        };
        fields.below.push(Block::Paragraph(note.into()));
    }
    fields.finish(what.caption().to_owned())
}

impl Use {
    fn caption(self) -> &'static str {
        match self {
            Self::Parameters => "Parameters",
            Self::Credentials => "Fields of the credentials",
        }
    }
}

struct Fields {
    what: Use,
    rows: Vec<[Words; 4]>,
    /// Lists of choices, tables of variants and the like, in order.
    below: Vec<Block>,
}

impl Fields {
    fn of(what: Use) -> Self {
        Self { what, rows: Vec::new(), below: Vec::new() }
    }

    fn finish(self, caption: String) -> Vec<Block> {
        let columns = match self.what {
            Use::Parameters => ["Parameter", "Value", "Required", "Description"],
            Use::Credentials => ["Field", "Value", "Always there", "Description"],
        };
        Table::new(caption, columns, self.rows).map(Block::Table).into_iter().chain(self.below).collect()
    }

    /// The rows of an object's properties; `path` is where the object is, `within` what its properties belong to.
    fn object(&mut self, path: &str, within: &str, object: &Object) {
        for property in object.properties {
            let path = join(path, property.name.get());
            self.rows.push([
                Words::default().code(&path),
                words::value(&property.schema),
                self.need(within, property),
                description(&property.schema),
            ]);
            self.inside(&path, &property.schema);
        }
    }

    fn need(&self, within: &str, property: &Property) -> Words {
        let mut words = match (self.what, property.required) {
            (Use::Credentials, true) => "yes".into(),
            (Use::Credentials, false) => "no".into(),
            (Use::Parameters, true) if within.is_empty() => Words::default().strong("yes"),
            (Use::Parameters, true) => Words::default().strong("yes").text(", in ").code(within),
            (Use::Parameters, false) => match &property.schema.default {
                Some(default) => Words::from("no, default ").code(&words::literal(default).to_string()),
                None => "no".into(),
            },
        };
        if property.immutable && self.what == Use::Parameters {
            words = words.text("; fixed once chosen");
        }
        if property.schema.secret {
            words = words.text("; secret");
        }
        words
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
                let text = serde_json::to_string_pretty(&(foreign.schema)()).unwrap_or_default();
                let what = if path.is_empty() { "Schema".to_owned() } else { format!("Schema of {path}") };
                self.below.push(Block::Samples(Language::Json, vec![Sample { what, text }]));
            }
            _ => {}
        }
    }

    fn choices(&mut self, path: &str, choices: &[Choice]) {
        let meaning = |choice: &Choice| {
            let meaning = Words::quote(choice.description?.get());
            Some(Words::default().code(choice.value.get()).text(": ").and(meaning))
        };
        let described: Vec<_> = choices.iter().filter_map(meaning).collect();
        if !described.is_empty() {
            self.below.push(Block::Paragraph(Words::from("What ").code(path).text(" can be:")));
            self.below.push(Block::List(described));
        }
    }

    fn variants(&mut self, path: &str, tagged: &Tagged) {
        let tag = join(path, tagged.tag.get());
        for variant in tagged.variants {
            let name = variant.name.get();
            let mut words = Words::from("With ").code(&tag).text(" = ").code(name);
            if let Some(meaning) = variant.description {
                words = words.text(": ").and(Words::quote(meaning.get()));
            }
            let mut fields = Self::of(self.what);
            fields.object(path, "", &variant.object);
            let fields = fields.finish(format!("{} with {tag} = {name}", self.what.caption()));
            if fields.is_empty() {
                words = words.text(" (no other fields)");
            }
            self.below.push(Block::Paragraph(words));
            self.below.extend(fields);
        }
    }
}

fn description(schema: &Schema) -> Words {
    let mut sentences = Vec::new();
    if let Some(title) = schema.title {
        sentences.push(Words::default().strong(title.get()));
    }
    if let Some(description) = schema.description {
        sentences.push(Words::join(paragraphs(description.get()), " "));
    }
    // An example of a secret is one that somebody will use.
    if !schema.examples.is_empty() && !schema.secret {
        if let Some(last) = sentences.last_mut().filter(|last| !last.ends_a_sentence()) {
            *last = std::mem::take(last).text(".");
        }
        let examples: Vec<_> = schema.examples.iter().map(|example| words::literal(example).to_string()).collect();
        let examples = Words::codes(examples.iter().map(String::as_str), " or ");
        sentences.push(Words::from("For example ").and(examples).text("."));
    }
    Words::join(sentences.into_iter().filter(|sentence| !sentence.is_empty()), " ")
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
