//! Arguments are in quotes, without names, misspelt, negated, twice, or constants, or have no comma or equals sign.

use osb_runtime::prelude::*;

// Mistake: The name of an argument is in quotes.
/// 10 MB, for trying things out.
#[plan("id" = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Quoted;

// Mistake: An argument is a string.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", "free")]
pub struct Word;

// Mistake: An argument is given twice.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", name = "gratis")]
pub struct Twice;

// Mistake: An argument is half-typed, and there again: only one error.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a28", name = , name = "pro")]
pub struct HalfTyped;

// Mistake: An argument lacks a letter.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", binable)]
pub struct Misspelt;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a27", nam = 5)]
pub struct MisspeltNumber;

/// 2 GB.
#[plan(idd = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a30", nmae = "large")]
pub struct MisspeltTwice;

// Mistake: An argument is unlike any known one.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", colour = "red")]
pub struct Unknown;

// Mistake: The id is called `guid`.
/// 10 MB.
#[plan(guid = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free")]
pub struct Guid;

// Mistake: A flag is negated.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", !bindable)]
pub struct Negated;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "pro", not(free, retired), metadata(costs((usd = 9.90, unit = "MONTHLY"))))]
pub struct Not;

// Mistake: The id is the name of a constant, whose value a macro cannot read.
/// 10 MB, for trying things out.
#[plan(id = ID, name = "free")]
pub struct Constant;

pub const ID: &str = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09";

// Mistake: There is no comma between two arguments.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10" name = "free")]
pub struct Commaless;

// Mistake: There is no comma between any arguments.
/// 10 MB, for trying things out.
#[plan(bindable id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11" name = "free")]
pub struct Commas;

// Mistake: A colon, an arrow or another operator instead of an equals sign.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a12", name: "free")]
pub struct Colon;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a13", name => "pro")]
pub struct Arrow;

/// 2 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a14", name := "large")]
pub struct Assigned;

/// 3 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a15", name == "huge")]
pub struct Equal;

/// 4 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a16", name = "giant", metadata: (display_name = "Giant"))]
pub struct List;

// Mistake: An argument is written as a JSON member.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a17", name = "free", "bindable": true)]
pub struct Member;

// Mistake: A text is borrowed.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a18", name = &"free")]
pub struct Borrowed;

// Mistake: An argument is conditional (`#[cfg]`).
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a19", #[cfg(unix)] name = "free")]
pub struct Conditional;

// Mistake: An argument has a doc comment, or an attribute.
/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a20",
    /// The name for users.
    name = "free",
)]
pub struct Documented;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a21", #[allow(unused)] name = "pro")]
pub struct Allowed;

// Mistake: A type or a flag's value stands without an equals sign.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a22", name = "free", create NewStore)]
pub struct Typed;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a23", name = "pro", free false)]
pub struct Paid;

#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a26", name = "large", description "1 GB,billed monthly.")]
pub struct Described;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {}

// Mistake: A merge left both versions of an argument.
/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a24",
<<<<<<< HEAD
    name = "free",
=======
    name = "gratis",
>>>>>>> main
)]
pub struct Merged;

/// 1 GB.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a29",
    name = "pro",
>>>>>>> main
)]
pub struct MergedInPart;

// Mistake: A value is conditional (`#[cfg]`).
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a25", name = #[cfg(unix)] "free")]
pub struct ConditionalValue;

fn main() {}
