//! Patterns accept what an independent validator accepts, whether a program matches them with `regex` or without.

use osb_runtime::{prelude::*, schema};
use serde_json::{Value, json};

/// Texts with patterns.
#[parameters]
struct Texts {
    // Sequences of characters.
    #[param(pattern = "^[a-z][a-z0-9-]{0,2}$")]
    name: Option<String>,
    #[param(pattern = "^[A-Z]")]
    capital: Option<String>,
    #[param(pattern = "^a+b?-*$")]
    optional: Option<String>,
    #[param(pattern = "^[^a]{2}1$")]
    excluded: Option<String>,
    #[param(pattern = r"^\w(?:\d\s)?-")]
    class: Option<String>,
    #[param(pattern = "^(é)(a1)$")]
    groups: Option<String>,
    #[param(pattern = "^.{2,3}$")]
    any: Option<String>,
    #[param(pattern = "^$")]
    empty: Option<String>,
    // Others.
    #[param(pattern = "a$")]
    end: Option<String>,
    #[param(pattern = "^(a|bA)+$")]
    alternatives: Option<String>,
    #[param(pattern = "^a*[a1]$")]
    overlapping: Option<String>,
    #[param(pattern = "^(?:ab)*$")]
    repeated_group: Option<String>,
    #[param(pattern = r"^\p{L}+$")]
    letters: Option<String>,
}

#[test]
fn patterns_accept_the_same_texts_as_in_the_published_schema() {
    let document: Value = serde_json::from_str(&schema::document(&Texts::SCHEMA)).expect("JSON");
    let properties = document["properties"].as_object().expect("an object");
    for (property, document) in properties {
        let validator = jsonschema::draft4::new(document).expect("a schema");
        let mut accepted = [0; 2];
        for text in texts(4) {
            let is_valid = validator.is_valid(&json!(text));
            let found = schema::check(&Texts::SCHEMA, &json!({ property: text }));
            assert_eq!(found.is_empty(), is_valid, "{text:?} by {document}");
            accepted[usize::from(is_valid)] += 1;
        }
        assert!(!accepted.contains(&0), "{document} accepts all texts or none: {accepted:?}");
    }
}

/// Returns all texts of at most `most` of these characters.
fn texts(most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..most {
        let longer = all[from..].iter().flat_map(|text| "abA1-é \n".chars().map(move |c| format!("{text}{c}")));
        let longer = longer.collect::<Vec<_>>();
        from = all.len();
        all.extend(longer);
    }
    all
}
