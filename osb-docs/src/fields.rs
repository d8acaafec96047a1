//! The fields of parameters and credentials: a table, followed by the details that do not fit into a cell.

use super::{
    document::{Block, InlineText, Language, Sample, Table, paragraphs},
    example::to_copy,
    inline,
};
use osb_runtime::schema::{Choice, Kind, Object, Property, Schema, Tagged};

/// The use of the documented fields, which decides which properties of them are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldUse {
    /// Users send them.
    Parameters,
    /// Users receive them.
    Credentials,
}

/// Describes the fields of `schema`; empty if it has none.
pub(super) fn fields(schema: &Schema, usage: FieldUse) -> Vec<Block> {
    let mut fields = Fields::of(usage);
    match &schema.kind {
        Kind::Object(object) if object.properties.is_empty() && !object.open => return Vec::new(),
        Kind::Object(object) => fields.object("", "", object),
        _ => fields.inside("", "", schema),
    }
    if let Kind::Object(Object { open: true, .. }) = schema.kind {
        let note = match usage {
            FieldUse::Parameters => "Other parameters are accepted and ignored.",
            FieldUse::Credentials => "Other fields may be present.",
        };
        fields.below.push(Block::Paragraph(note.into()));
    }
    fields.finish(usage.caption().to_owned())
}

impl FieldUse {
    fn caption(self) -> &'static str {
        match self {
            Self::Parameters => "Parameters",
            Self::Credentials => "Fields of the credentials",
        }
    }
}

struct Fields {
    usage: FieldUse,
    rows: Vec<[InlineText; 4]>,
    /// Lists of choices, tables of variants and foreign schemas, in the order of the fields.
    below: Vec<Block>,
}

impl Fields {
    fn of(usage: FieldUse) -> Self {
        Self { usage, rows: Vec::new(), below: Vec::new() }
    }

    fn finish(self, caption: String) -> Vec<Block> {
        let columns = match self.usage {
            FieldUse::Parameters => ["Parameter", "Value", "Required", "Description"],
            FieldUse::Credentials => ["Field", "Value", "Always present", "Description"],
        };
        Table::new(caption, columns, self.rows).map(Block::Table).into_iter().chain(self.below).collect()
    }

    /// Adds a row for each property of the object at `path`. `within` is the end of its path, which a required
    /// property names because the object may be optional; empty for the outermost object.
    fn object(&mut self, path: &str, within: &str, object: &Object) {
        for property in object.properties {
            let (path, name) = (join(path, property.name.get()), join("", property.name.get()));
            self.rows.push([
                InlineText::default().code(&path),
                inline::value(&property.schema),
                self.requirement(within, property),
                description(&property.schema),
            ]);
            self.inside(&path, &name, &property.schema);
        }
    }

    fn requirement(&self, within: &str, property: &Property) -> InlineText {
        let mut words = match (self.usage, property.required) {
            (FieldUse::Credentials, true) => "yes".into(),
            (FieldUse::Credentials, false) => "no".into(),
            (FieldUse::Parameters, true) if within.is_empty() => InlineText::default().strong("yes"),
            (FieldUse::Parameters, true) => InlineText::default().strong("yes").text(", in ").code(within),
            (FieldUse::Parameters, false) => match &property.schema.default {
                Some(default) => InlineText::from("no, default ").code(&inline::literal(default).to_string()),
                None => "no".into(),
            },
        };
        if property.immutable && self.usage == FieldUse::Parameters {
            words = words.text("; cannot be changed later");
        }
        if property.update_only {
            words = words.text("; takes effect each time, and is not stored");
        }
        if property.schema.secret {
            words = words.text("; secret");
        }
        words
    }

    /// Describes the content of the value at `path`, if its type has any. `name` is the end of the path.
    fn inside(&mut self, path: &str, name: &str, schema: &Schema) {
        match &schema.kind {
            Kind::Object(object) => self.object(path, name, object),
            Kind::Array(array) => self.inside(&format!("{path}[]"), &format!("{name}[]"), array.items),
            Kind::Map(map) => self.inside(&join(path, "*"), &join(name, "*"), map.values),
            Kind::Choice(choices) => self.choices(path, choices),
            Kind::Tagged(tagged) => self.variants(path, tagged),
            Kind::Foreign(foreign) => {
                let text = serde_json::to_string_pretty(&(foreign.schema)()).unwrap_or_default();
                let title = if path.is_empty() { "Schema".to_owned() } else { format!("Schema of {path}") };
                self.below.push(Block::Samples(Language::Json, vec![Sample { title, text }]));
            }
            _ => {}
        }
    }

    fn choices(&mut self, path: &str, choices: &[Choice]) {
        let meaning = |choice: &Choice| {
            let meaning = InlineText::quote(choice.description?.get());
            Some(InlineText::default().code(choice.value.get()).text(": ").and(meaning))
        };
        let described: Vec<_> = choices.iter().filter_map(meaning).collect();
        if !described.is_empty() {
            self.below.push(Block::Paragraph(InlineText::from("Values of ").code(path).text(":")));
            self.below.push(Block::List(described));
        }
    }

    fn variants(&mut self, path: &str, tagged: &Tagged) {
        let tag = join(path, tagged.tag.get());
        for variant in tagged.variants {
            let name = variant.name.get();
            let mut words = InlineText::from("If ").code(&tag).text(" is ").code(name);
            if let Some(meaning) = variant.description {
                words = words.text(": ").and(InlineText::quote(meaning.get()));
            }
            let mut fields = Self::of(self.usage);
            fields.object(path, "", &variant.object);
            let fields = fields.finish(format!("{} if {tag} is {name}", self.usage.caption()));
            if fields.is_empty() {
                words = words.text(" (no other fields)");
            }
            self.below.push(Block::Paragraph(words));
            self.below.extend(fields);
        }
    }
}

fn description(schema: &Schema) -> InlineText {
    let mut sentences = Vec::new();
    if let Some(title) = schema.title {
        sentences.push(InlineText::default().strong(title.get()));
    }
    if let Some(description) = schema.description {
        sentences.push(InlineText::join(paragraphs(description.get()), " "));
    }
    let examples = to_copy(schema);
    if !examples.is_empty() {
        if let Some(last) = sentences.last_mut().filter(|last| !last.ends_a_sentence()) {
            *last = std::mem::take(last).text(".");
        }
        let examples: Vec<_> = examples.iter().map(|example| inline::literal(example).to_string()).collect();
        let examples = InlineText::either(InlineText::codes(examples.iter().map(String::as_str)));
        sentences.push(InlineText::from("For example ").and(examples).text("."));
    }
    InlineText::join(sentences.into_iter().filter(|sentence| !sentence.is_empty()), " ")
}

/// Appends a name to a path, as in `backup.window`. A name with characters that are special in paths is quoted.
fn join(path: &str, name: &str) -> String {
    let name = if name != "*" && name.contains(['.', '[', ']', '*', '"', ' ']) {
        serde_json::Value::from(name).to_string()
    } else {
        name.to_owned()
    };
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use osb_runtime::schema::{Array, Map, Text};

    use super::*;
    use crate::document::Piece;

    const fn required(name: &'static str, kind: Kind) -> Property {
        let name = Text::new(name, name);
        Property { name, schema: Schema::new(kind), aliases: &[], required: true, immutable: false, update_only: false }
    }

    const fn object(properties: &'static [Property]) -> Kind {
        Kind::Object(Object { properties, open: false })
    }

    #[test]
    fn a_required_field_names_the_end_of_the_path_of_its_object() {
        const SUBNET: Schema = Schema::new(object(&[required("range", Kind::Boolean)]));
        const SUBNETS: Kind = Kind::Array(Array { items: &SUBNET, min_items: None, max_items: None, unique: false });
        const LABELS: Kind = Kind::Map(Map { values: &SUBNET, min_properties: None, max_properties: None });
        const NETWORK: Kind = object(&[required("subnets", SUBNETS), required("by label", LABELS)]);
        const ROOT: Schema = Schema::new(object(&[required("cluster", object(&[required("network", NETWORK)]))]));
        let blocks = fields(&ROOT, FieldUse::Parameters);
        let [Block::Table(table)] = &*blocks else { panic!("one table") };
        let cells = |row: &Vec<InlineText>| {
            let code = |cell: &InlineText| match cell.0.last() {
                Some(Piece::Code(text)) => text.clone(),
                _ => String::new(),
            };
            (code(&row[0]), code(&row[2]))
        };
        let expected = [
            ("cluster", ""),
            ("cluster.network", "cluster"),
            ("cluster.network.subnets", "network"),
            ("cluster.network.subnets[].range", "subnets[]"),
            ("cluster.network.\"by label\"", "network"),
            ("cluster.network.\"by label\".*.range", "\"by label\".*"),
        ];
        let expected = expected.map(|(path, within)| (path.to_owned(), within.to_owned()));
        assert_eq!(table.rows.iter().map(cells).collect::<Vec<_>>(), expected);
    }
}
