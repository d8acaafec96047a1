//! A type of the author's can have the name of a standard one: schemas follow from types, not from names.
#![deny(warnings)]
#![allow(non_camel_case_types, dead_code)]

use osb_runtime::{credentials, parameters, schema::Parameters};

type Text = std::string::String;

// Not `str`, `u8`, `u64` and `usize`: the derives of serde name them bare.
struct bool;
struct i128;

struct f64;
struct Result;
struct Some;
struct None;
trait Default {}

/// A name of one to five letters.
#[parameters]
#[derive(Debug, Clone)]
pub struct String(#[param(length(min = 1, max = 5))] pub Text);

/// A number below ten.
#[parameters]
#[derive(Debug, Clone)]
pub struct u32(#[param(range(max = 9))] pub u16);

/// A duration in hours.
#[parameters]
#[derive(Debug, Clone)]
pub struct Duration(#[param(range(max = 9))] pub u16);

const MOST: u16 = 7;

#[parameters(partial = Changes)]
#[derive(Debug, Clone)]
pub struct New {
    #[param(default = "abc", example = "de")]
    pub name: String,
    #[param(default = 3, range(min = 1))]
    pub size: u32,
    #[param(range(max = MOST), secret)]
    pub limit: u16,
    pub names: Vec<String>,
    pub ttl: Option<Duration>,
    #[param(length(max = 3), pattern = "^a", default = "a")]
    pub text: Text,
}

#[credentials]
pub struct Access {
    pub name: String,
}

pub(super) fn main() {
    let schema = std::str::from_utf8(<New as Parameters>::JSON).unwrap();
    assert!(schema.contains(r#""maxLength":5"#) && schema.contains(r#""maximum":9"#), "{schema}");
    let new: New = osb_runtime::schema::decode(&serde_json::json!({ "limit": 1, "names": ["x"] })).unwrap();
    assert!(new.name.0 == "abc" && new.size.0 == 3 && new.text == "a");
}
