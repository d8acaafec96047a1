//! `rename_all`, in serde's words.

use darling::FromMeta;
use syn::Meta;

use crate::args::{Text, nearest};

/// The spelling of names on the wire.
#[derive(Clone, Copy, Default)]
pub(crate) enum Case {
    #[default]
    AsIs,
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

const WORDS: [(&str, Case); 8] = [
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
];

impl FromMeta for Case {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let text = Text::from_meta(meta)?;
        let value = text.value();
        let words = WORDS.iter().map(|(word, _)| *word);
        WORDS.iter().find(|(word, _)| *word == value).map(|(_, case)| *case).ok_or_else(|| {
            let help = match nearest(&value, words.clone()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => {
                    format!("the cases are {}", words.map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", "))
                }
            };
            darling::Error::custom(format_args!("there is no case {value:?}\nhelp: {help}")).with_span(&text)
        })
    }
}

impl Case {
    /// Converts the name of a field, which Rust has in `snake_case`.
    pub(crate) fn field(self, name: &str) -> String {
        match self {
            Self::AsIs | Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_uppercase(),
            Self::Pascal => name.split('_').map(capitalized).collect(),
            Self::Camel => decapitalized(&Self::Pascal.field(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_uppercase().replace('_', "-"),
        }
    }

    /// Converts the name of a variant, which Rust has in `PascalCase`.
    pub(crate) fn variant(self, name: &str) -> String {
        match self {
            Self::AsIs | Self::Pascal => name.to_owned(),
            Self::Lower => name.to_lowercase(),
            Self::Upper => name.to_uppercase(),
            Self::Camel => decapitalized(name),
            Self::Snake | Self::ScreamingSnake | Self::Kebab | Self::ScreamingKebab => self.field(&snake(name)),
        }
    }
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (index, c) in name.char_indices() {
        if c.is_uppercase() && index > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn decapitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::Case;

    #[test]
    fn names_are_those_of_serde() {
        let cases = [
            (Case::AsIs, "time_to_live", "EuCentral"),
            (Case::Lower, "time_to_live", "eucentral"),
            (Case::Upper, "TIME_TO_LIVE", "EUCENTRAL"),
            (Case::Pascal, "TimeToLive", "EuCentral"),
            (Case::Camel, "timeToLive", "euCentral"),
            (Case::Snake, "time_to_live", "eu_central"),
            (Case::ScreamingSnake, "TIME_TO_LIVE", "EU_CENTRAL"),
            (Case::Kebab, "time-to-live", "eu-central"),
            (Case::ScreamingKebab, "TIME-TO-LIVE", "EU-CENTRAL"),
        ];
        for (case, field, variant) in cases {
            assert_eq!((&*case.field("time_to_live"), &*case.variant("EuCentral")), (field, variant));
        }
        assert_eq!((&*Case::Pascal.field("cpu_inGHz"), &*Case::Camel.variant("EUCentral")), ("CpuInGHz", "eUCentral"));
    }
}
