//! Metadata is a string, follows an equals sign, has no quotes or no JSON, a key twice, or what belongs elsewhere.

use osb_runtime::prelude::*;

// Mistake: Metadata is a string.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", metadata = "Free of charge")]
pub struct Value;

// Mistake: A list follows an equals sign.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", metadata = (display_name = "Free"))]
pub struct Equals;

// Mistake: A value of the metadata is not JSON.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", metadata("color": Red))]
pub struct Word;

// Mistake: There is no comma between two values.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a23", name = "free", metadata("sizes": [1 2]))]
pub struct Comma;

// Mistake: JSON has a comma with nothing before it.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a24", name = "free", metadata("sizes": [1,, 2]))]
pub struct TwoCommas;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a25", name = "free", metadata("sizes": { "s": 1,, "m": 2 }))]
pub struct TwoCommasInAnObject;

// Mistake: JSON has the words of another language, a list in parentheses, or a character.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a26", name = "free", metadata("beta": True))]
pub struct True;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a27", name = "free", metadata("end": None))]
pub struct Nothing;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a28", name = "free", metadata("sizes": (1, 2)))]
pub struct Parentheses;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a30", name = "free", metadata("size": 's'))]
pub struct Character;

// Mistake: A value of the metadata is an expression.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a31", name = "free", metadata("color": format!("red")))]
pub struct Macro;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a32", name = "free", metadata("color": "red".into()))]
pub struct Method;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a33", name = "free", metadata("size": -SIZE))]
pub struct Minus;

// Mistake: An argument of the metadata is in quotes.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a34", name = "free", metadata("display_name" = "Free of charge"))]
pub struct Quoted;

// Mistake: A plan has a service's metadata.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", metadata(support_url = "https://example.com"))]
pub struct Service;

// Mistake: A key of the metadata is given twice.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", metadata("color": "red", "color": "blue"))]
pub struct Twice;

// Mistake: The description is in the metadata.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", description = "10 MB.", metadata(description = "10 MB, for trying things out."))]
pub struct Described;

// Mistake: A member of the metadata has an equals sign.
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", metadata("color" = "blue"))]
pub struct Member;

// Mistake: A member of the metadata has no quotes.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "pro", metadata(color: gold))]
pub struct Unquoted;

/// 2 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "beta", metadata(beta: null))]
pub struct UnquotedNull;

// Mistake: A member of the metadata has neither quotes nor a value in JSON.
/// 3 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a35", name = "path", metadata(region: config::REGION))]
pub struct UnquotedPath;

/// 4 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a36", name = "hyphen", metadata(region: eu-west))]
pub struct UnquotedHyphen;

/// 5 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a37", name = "macro", metadata(sizes: vec![1, 2]))]
pub struct UnquotedMacro;

// Mistake: An object in the metadata has brackets.
/// 6 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a38", name = "brackets", metadata("limits": ["cpu": 1]))]
pub struct Brackets;

// Mistake: Metadata is among the arguments.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "free", display_name = "Free of charge")]
pub struct Outside;

// Mistake: A price in other words.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "free", free = false, metadata(price(usd = 9.90)))]
pub struct Price;

// Mistake: Part of the metadata can't be read: no error about the id, which may stand there.
/// 1 GB.
#[plan(name = "large", metadata(display_name = "Large", @ "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a12"))]
pub struct Unreadable;

// Mistake: A text in the metadata has no quotes.
/// 7 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a39", name = "text", metadata("region": eu-west))]
pub struct UnquotedText;

// Mistake: A member of the metadata has no colon.
/// 8 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a40", name = "colon", metadata("region" "eu-west"))]
pub struct Colonless;

// Mistake: A member of the metadata has an arrow, or an argument of its own and an equals sign.
/// 8 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a41", name = "arrow", metadata("region" => "eu-west"))]
pub struct Arrow;

/// 8 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a42", name = "equals", metadata("displayName" = "Large"))]
pub struct ByWireNameAndSign;

// Mistake: A member of the metadata has a comma in place of its colon.
/// 8 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a43", name = "comma", metadata("region", "eu-west"))]
pub struct CommaForColon;

// Mistake: A bullet is blank.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", metadata(bullets("10 MB", "")))]
pub struct BlankBullet;

// Mistake: A bullet is a number.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", metadata(bullets("10 MB", 7)))]
pub struct NumberBullet;

// Mistake: A single bullet instead of a list.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", metadata(bullets = "10 MB"))]
pub struct OneBullet;

// Mistake: Metadata with an argument of its own is written as JSON, or nearly.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", metadata("displayName": "Free of charge"))]
pub struct ByWireName;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", metadata(displayName: "Professional"))]
pub struct ByWireNameToo;

// Mistake: An argument of the metadata is written as a JSON member.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", metadata("display_name": "Free"))]
pub struct ByMember;

// Mistake: Metadata with an argument of its own is written as JSON.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", metadata("bullets": ["10 MB"], "costs": []))]
pub struct ByMembers;

fn main() {}
