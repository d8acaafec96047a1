//! Arguments that an attribute doesn't have: the explanation, or the argument that was probably meant.

use syn::Meta;

use super::{ArgumentList, Hint, argument::Argument};

/// The arguments that an attribute doesn't have, each with the known name that is most like it.
pub(crate) struct Unknown(Vec<(Meta, Option<&'static str>)>);

impl Unknown {
    pub(super) fn of(arguments: impl Iterator<Item = Argument>, known: &[&'static str]) -> Self {
        Self(arguments.map(|Argument { name, meta, .. }| (meta, meant(&name.to_string(), known))).collect())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(meta, _)| meta.path().is_ident(name))
    }

    /// Reads the misspelt arguments into `arguments`: each is one mistake, and the argument is not missing as well.
    pub(crate) fn adopt<T: ArgumentList>(&self, arguments: &mut T) {
        for (meta, meant) in &self.0 {
            for (name, argument) in T::NAMES.iter().zip(arguments.arguments()) {
                if Some(*name) == *meant {
                    argument.adopt(meta);
                }
            }
        }
    }
}

/// Words of other specifications and frameworks, each with ours.
const SYNONYMS: [(&str, &str); 28] = [
    ("guid", "id"),
    ("uuid", "id"),
    ("service_id", "id"),
    ("plan_id", "id"),
    ("service_name", "name"),
    ("plan_name", "name"),
    ("label", "name"),
    ("desc", "description"),
    ("doc", "description"),
    ("help", "description"),
    ("about", "description"),
    ("summary", "description"),
    ("client_id", "id"),
    ("update", "partial"),
    ("regex", "pattern"),
    ("matches", "pattern"),
    ("step", "multiple_of"),
    ("divisible_by", "multiple_of"),
    ("any_of", "one_of"),
    ("fixed", "immutable"),
    ("each", "items"),
    ("docs_url", "documentation_url"),
    ("logo_url", "image_url"),
    ("icon_url", "image_url"),
    ("icon", "image_url"),
    ("logo", "image_url"),
    ("context_updates", "allow_context_updates"),
    ("timeout", "maximum_polling_duration"),
];

/// Returns the known argument that `name` probably means.
fn meant(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let synonym = SYNONYMS.iter().find(|(other, ours)| *other == name && known.contains(ours)).map(|(_, ours)| *ours);
    synonym.or_else(|| nearest(name, known.iter().copied()))
}

/// Returns the known word that is most like `name`, if one is like it.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|word| (strsim::jaro_winkler(&name.to_lowercase(), &word.to_lowercase()), word))
        .filter(|(score, _)| *score > 0.82)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}

/// Returns the explanation of a word, which may be in `camelCase`.
pub(super) fn hint(name: &str, hints: &[Hint]) -> Option<&'static str> {
    let is_same = |word: &str| name == word || name.to_lowercase() == word.replace('_', "");
    hints.iter().find(|(word, _)| is_same(word)).map(|(_, hint)| *hint)
}

/// Returns the help for an argument that an attribute doesn't have; `known` are those that it has.
pub(super) fn help(name: &str, known: &[&'static str], takes_members: bool, hints: &[Hint]) -> String {
    if let Some(hint) = hint(name, hints) {
        return hint.to_owned();
    }
    let near = meant(name, known).or_else(|| nearest(name, hints.iter().map(|(word, _)| *word)));
    match near {
        Some(near) => match hint(near, hints) {
            // `near` is a word of the hints, not an argument.
            Some(hint) => hint.to_owned(),
            None => format!("did you mean `{near}`?"),
        },
        None if known.is_empty() => format!("it takes JSON members: `\"{name}\": value`"),
        None => {
            let mut known: Vec<_> = known.iter().map(|word| format!("`{word}`")).collect();
            if takes_members {
                known.push(format!("and JSON members: `\"{name}\": value`"));
            }
            format!("it takes {}", known.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_similar_words_are_proposed() {
        let known = ["name", "plans", "metadata"];
        let nearest = |word| nearest(word, known.into_iter());
        assert_eq!(
            [nearest("nmae"), nearest("plan"), nearest("meta_data")],
            [Some("name"), Some("plans"), Some("metadata")]
        );
        assert_eq!([nearest("NAME"), nearest("colour"), nearest("x")], [Some("name"), None, None]);
    }
}
