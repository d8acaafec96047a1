//! Fields accept, or have as a default, what their newtypes reject; and an example of a newtype is not in its format.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Port(#[param(range(min = 1024))] pub u16);

#[parameters]
pub struct Weight(#[param(range(exclusive_min = 0))] pub u32);

#[parameters]
pub struct Share(#[param(range(min = 0.0, exclusive_max = 1.0))] pub f64);

#[parameters]
pub struct Name(#[param(length(max = 32))] pub String);

#[parameters]
pub struct Pages(#[param(multiple_of = 64)] pub u32);

// Mistake: An example of a newtype is not in its format.
#[parameters]
pub struct Contact(#[param(format = "email", example = "someone at example.com")] pub String);

#[parameters]
pub struct New {
    // Mistake: A field's range is wider than its newtype's.
    #[param(range(min = 80), default = 443)]
    pub port: Port,
    // Mistake: A field's default is outside its newtype's range.
    #[param(default = 80)]
    pub other_port: Port,
    // Mistake: A constraint accepts what a newtype rejects: its exclusive bound.
    #[param(range(min = 0))]
    pub weight: Weight,
    #[param(range(max = 1.0))]
    pub share: Share,
    // Mistake: A constraint accepts what a newtype rejects: a longer text.
    #[param(length(max = 64))]
    pub name: Name,
    // Mistake: A constraint accepts what a newtype rejects: other multiples.
    #[param(multiple_of = 96)]
    pub size: Pages,
    // Mistake: No number in the range is a multiple of that of a newtype.
    #[param(range(min = 65, max = 127))]
    pub pages: Pages,
    pub contact: Contact,
}

fn main() {}
