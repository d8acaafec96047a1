//! No derived `Debug` prints values that users or authors supply (T68). Types with such values write their own, which
//! `secrets` and the unit tests of the types print.

use std::{fs, path::Path};

use osb_runtime::store::{Memory, Pages, Records};
use osb_testing::store::{key, put};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// Types of fields with values of users and authors: JSON, and serde_json's error, which quotes it.
const VALUES: [&str; 6] = ["Value", "Map", "JsonObject", "Json", "Members", "Error"];

/// Types that print such values.
const ALLOWED: &[(&str, &str)] = &[
    ("Change", "a part of the author's type, whose secret fields are left out"),
    ("Foreign", "a part of the author's type"),
    ("Json", "a document of the author's program"),
    ("Kind", "a schema"),
    ("Map", "a schema"),
    ("Members", "a document of the author's program"),
    ("Overrides", "a part of the catalog"),
    ("ParametersInfo", "a schema"),
    ("Replacement", "a part of the catalog"),
    ("StateInfo", "a function"),
    ("StoreError", "an error of a store, whose text is for operators"),
    ("Target", "the ids of a path"),
];

/// Returns the names of the types that derive `Debug` and have a field of one of [`VALUES`] or of a generic type.
fn printing(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_word = |at: usize, word: &str| tokens.get(at).is_some_and(|token: &TokenTree| token.to_string() == word);
    let mut derives_debug = false;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) if at > 0 && is_word(at - 1, "#") => {
                let text = group.stream().to_string();
                derives_debug |= text.starts_with("derive") && text.contains("Debug");
            }
            TokenTree::Ident(word) if word == "struct" || word == "enum" => {
                let rest = &tokens[at + 1..];
                let end = rest.iter().position(|token| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    other => other.to_string() == ";",
                });
                let item = &rest[..=end.unwrap_or(rest.len() - 1)];
                if std::mem::take(&mut derives_debug) && item.iter().any(has_values) {
                    found.push(rest[0].to_string());
                }
            }
            TokenTree::Ident(word) if word == "fn" || word == "impl" || word == "const" => derives_debug = false,
            TokenTree::Group(group) => printing(group.stream(), found),
            _ => {}
        }
    }
}

fn has_values(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(group) => group.stream().into_iter().any(|token| has_values(&token)),
        TokenTree::Ident(word) => VALUES.iter().any(|name| word == name) || is_generic(word),
        _ => false,
    }
}

/// Returns whether a word is the name of a type parameter, not of a lifetime.
fn is_generic(word: &Ident) -> bool {
    let word = word.to_string();
    word.len() == 1 && word.starts_with(|letter: char| letter.is_ascii_uppercase())
}

fn each_file(folder: &Path, visit: &mut impl FnMut(&str)) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            each_file(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&fs::read_to_string(&path).expect("a source"));
        }
    }
}

#[test]
fn t68_derived_debug_output_has_no_values() {
    let mut found = Vec::new();
    for sources in ["../osb-catalog/src", "../osb-runtime/src"] {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join(sources);
        each_file(&sources, &mut |source| printing(source.parse().expect("Rust"), &mut found));
    }
    found.sort();
    let allowed: Vec<_> = ALLOWED.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, allowed, "write their `Debug` by hand, without the values");
}

#[tokio::test]
async fn t68_lists_print_keys_and_counts() {
    let memory = Memory::new();
    for instance in ["a", "b", "c"] {
        put(&memory, &key("", instance), Some(("a text", None))).await;
    }
    let mut pages = Pages::of(&memory);
    pages.next().await.expect("they are read").expect("there are some");
    let read = format!("{pages:?}");
    assert_eq!(read, r#"Pages { last: Some(Key { tenant: "", instance: "c", binding: None }), .. }"#);
    let page = Records::new(memory).instances(None, 2).await.expect("they are read");
    let found = format!("{page:?}");
    assert_eq!(found, r#"Page { entries: 2, next: Some(Key { tenant: "", instance: "b", binding: None }) }"#);
}
