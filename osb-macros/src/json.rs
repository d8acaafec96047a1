//! JSON written among Rust tokens: `"key": [1, true, null, "text", { "a": -1.5 }]`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::{Ident, Lit, LitStr, ext::IdentExt, parse::ParseStream, parse::Parser};

/// A JSON value, with the tokens it was written with.
#[derive(Clone)]
pub(crate) enum Json {
    Null,
    Boolean(bool),
    /// The digits; whole numbers of up to 128 bits.
    Integer(i128),
    /// The digits as JSON writes them.
    Number(String),
    String(LitStr),
    Array(Vec<Json>),
    Object(Vec<(LitStr, Json)>),
}

impl Json {
    /// The value as JSON text.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Boolean(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Number(text) => text.clone(),
            Self::String(literal) => quoted(&literal.value()),
            Self::Array(items) => format!("[{}]", items.iter().map(Self::text).collect::<Vec<_>>().join(",")),
            Self::Object(members) => object(members),
        }
    }

    /// The value as a `schema::Literal` expression; `schema` is the path of that module.
    pub(crate) fn literal(&self, schema: &TokenStream) -> TokenStream {
        match self {
            Self::Null => quote!(#schema::Literal::Null),
            Self::Boolean(value) => quote!(#schema::Literal::Boolean(#value)),
            Self::Integer(value) => {
                let value = proc_macro2::Literal::i128_unsuffixed(*value);
                quote!(#schema::Literal::Integer(#value))
            }
            Self::Number(text) => {
                let decimal = decimal(text, schema);
                quote!(#schema::Literal::Number(#decimal))
            }
            Self::String(value) => {
                let text = text(&value.value(), schema);
                quote!(#schema::Literal::String(#text))
            }
            Self::Array(items) => {
                let items = items.iter().map(|item| item.literal(schema));
                quote!(#schema::Literal::Array(&[#(#items),*]))
            }
            Self::Object(members) => {
                let members = members.iter().map(|(key, value)| {
                    let (key, value) = (text(&key.value(), schema), value.literal(schema));
                    quote!((#key, #value))
                });
                quote!(#schema::Literal::Object(&[#(#members),*]))
            }
        }
    }
}

/// A `schema::Decimal` expression for the digits of a JSON number.
pub(crate) fn decimal(text: &str, schema: &TokenStream) -> TokenStream {
    let value = proc_macro2::Literal::f64_unsuffixed(text.parse().unwrap_or(0.0));
    quote!(#schema::Decimal { value: #value, text: #text })
}

/// A `schema::Text` expression. Text without escapes stands in its JSON form.
pub(crate) fn text(value: &str, schema: &TokenStream) -> TokenStream {
    let json = quoted(value);
    if json.len() == value.len() + 2 {
        quote!(#schema::Text::plain(#json))
    } else {
        quote!(#schema::Text::new(#value, #json))
    }
}

/// The JSON text of an object with these members.
pub(crate) fn object(members: &[(LitStr, Json)]) -> String {
    let members = members.iter().map(|(key, value)| format!("{}:{}", quoted(&key.value()), value.text()));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// `text` as a JSON string, quotes included.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns whether the tokens are one string.
pub(crate) fn is_text(tokens: &TokenStream) -> bool {
    syn::parse2::<LitStr>(tokens.clone()).is_ok()
}

/// If `piece` starts like a member (`"key":`), that member.
pub(crate) fn member(piece: &TokenStream) -> Option<syn::Result<(LitStr, Json)>> {
    let mut tokens = piece.clone().into_iter();
    let mut key = tokens.next();
    // A `macro_rules!` puts its fragments into invisible groups.
    while let Some(TokenTree::Group(group)) = &key
        && group.delimiter() == Delimiter::None
    {
        key = group.stream().into_iter().next();
    }
    let starts = matches!(key, Some(TokenTree::Literal(literal)) if literal.to_string().starts_with('"'))
        && matches!(tokens.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    starts.then(|| parse_member.parse2(piece.clone()))
}

fn parse_member(input: ParseStream<'_>) -> syn::Result<(LitStr, Json)> {
    let key: LitStr = input.parse()?;
    let value = value_of(&key, input)?;
    if input.is_empty() { Ok((key, value)) } else { Err(comma_missing(input)) }
}

/// Parses the colon and the value of a member. Where they are missing there is no token to point at, so the mistake is at the key.
fn value_of(key: &LitStr, input: ParseStream<'_>) -> syn::Result<Json> {
    if !input.is_empty() {
        input.parse::<syn::Token![:]>()?;
    }
    if input.is_empty() {
        return Err(syn::Error::new_spanned(key, format_args!("expected a value: `{}: value`", key.token())));
    }
    parse(input)
}

/// Parses the comma after a value that isn't the last one.
fn comma_or_end(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() || input.parse::<Option<syn::Token![,]>>()?.is_some() {
        Ok(())
    } else {
        Err(comma_missing(input))
    }
}

fn comma_missing(input: ParseStream<'_>) -> syn::Error {
    let help = match input.fork().parse::<TokenTree>() {
        Ok(next @ (TokenTree::Ident(_) | TokenTree::Literal(_))) => format!("\nhelp: write a comma before `{next}`"),
        Ok(TokenTree::Punct(sign)) if sign.as_char() == ';' => {
            "\nhelp: write a comma in place of the semicolon".to_owned()
        }
        Ok(TokenTree::Punct(sign)) if matches!(sign.as_char(), ':' | '=') => {
            "\nhelp: write the members of an object in braces: `{ \"name\": value }`".to_owned()
        }
        Ok(TokenTree::Punct(_)) => EXPRESSION.to_owned(),
        _ => String::new(),
    };
    input.error(format_args!("expected `,`{help}"))
}

/// One JSON value, and nothing else.
pub(crate) fn parse_all(input: ParseStream<'_>) -> syn::Result<Json> {
    let value = parse(input)?;
    if input.is_empty() { Ok(value) } else { Err(comma_missing(input)) }
}

/// Members between commas, as an object has them.
pub(crate) fn parse_members(input: ParseStream<'_>) -> syn::Result<Vec<(LitStr, Json)>> {
    let mut members: Vec<(LitStr, Json)> = Vec::new();
    while !input.is_empty() {
        if input.peek(syn::Token![,]) {
            return Err(input.error(NOTHING_BEFORE));
        }
        let key: LitStr = input.parse().map_err(|error| {
            let key = input.fork().call(Ident::parse_any).map_or_else(|_| "key".to_owned(), |key| key.to_string());
            syn::Error::new(error.span(), format_args!("expected a JSON member: `\"{key}\": value`"))
        })?;
        if members.iter().any(|(other, _)| other.value() == key.value()) {
            return Err(syn::Error::new_spanned(&key, format_args!("the key {:?} is given twice", key.value())));
        }
        let value = value_of(&key, input)?;
        members.push((key, value));
        comma_or_end(input)?;
    }
    Ok(members)
}

const EXPRESSION: &str = "\nhelp: write the value itself: an attribute can't evaluate an expression";

const NOTHING_BEFORE: &str = "there is nothing before this comma\nhelp: leave it out";

const EXPECTED: &str = "expected a JSON value: null, true, false, a number, a string, `[...]` or `{...}`";

/// One JSON value.
pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Json> {
    if input.peek(syn::Token![-]) {
        let minus: syn::Token![-] = input.parse()?;
        let literal: Lit = input.parse().map_err(|error| syn::Error::new(error.span(), EXPECTED))?;
        return number(&literal, true).unwrap_or_else(|| Err(syn::Error::new_spanned(minus, EXPECTED)));
    }
    if input.peek(syn::Token![,]) {
        return Err(input.error(NOTHING_BEFORE));
    }
    // `Group` would refuse an invisible one.
    if let Ok(TokenTree::Group(group)) = input.fork().parse() {
        input.parse::<TokenTree>()?;
        return match group.delimiter() {
            Delimiter::Bracket => array.parse2(group.stream()).map(Json::Array),
            Delimiter::Brace => parse_members.parse2(group.stream()).map(Json::Object),
            Delimiter::None => parse.parse2(group.stream()),
            Delimiter::Parenthesis => {
                let elements = group.stream();
                let help = format_args!("write a list in brackets: `[{elements}]`");
                Err(syn::Error::new(group.span(), format_args!("{EXPECTED}\nhelp: {help}")))
            }
        };
    }
    if let Ok(word) = input.fork().parse::<Ident>()
        && word == "null"
    {
        input.parse::<Ident>()?;
        return Ok(Json::Null);
    }
    let literal: Lit = input.parse().map_err(|error| {
        let ahead = input.fork();
        let help = match ahead.call(Ident::parse_any) {
            Ok(word) if ahead.is_empty() || ahead.peek(syn::Token![,]) => help_on_word(&word),
            Ok(_) => EXPRESSION.to_owned(),
            Err(_) => String::new(),
        };
        syn::Error::new(error.span(), format_args!("{EXPECTED}{help}"))
    })?;
    match &literal {
        Lit::Bool(value) => Ok(Json::Boolean(value.value)),
        Lit::Char(character) => {
            let text = quoted(&character.value().to_string());
            Err(syn::Error::new_spanned(character, format_args!("{EXPECTED}\nhelp: write `{text}`")))
        }
        other => match string(other) {
            Some(text) => Ok(Json::String(text)),
            None => number(other, false).unwrap_or_else(|| Err(syn::Error::new_spanned(other, EXPECTED))),
        },
    }
}

/// Returns the help for a word in place of a value. It may be a value of another language.
fn help_on_word(word: &Ident) -> String {
    match &*word.to_string().to_lowercase() {
        value @ ("true" | "false" | "null") => format!("\nhelp: write `{value}`"),
        "none" | "nil" | "undefined" => format!("\nhelp: write `null`, or `\"{word}\"` if it is a string"),
        _ => format!("\nhelp: write `\"{word}\"` if it is a string"),
    }
}

/// Returns the text of a string literal, also of one that the compiler has reported: an unknown escape, such as `\d`, or
/// `'text'`. A raw string or a string was meant.
pub(crate) fn string(literal: &Lit) -> Option<LitStr> {
    match literal {
        Lit::Str(text) => Some(text.clone()),
        Lit::Verbatim(broken) => {
            let text = broken.to_string();
            let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
            let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
            Some(LitStr::new(inner, broken.span()))
        }
        _ => None,
    }
}

fn array(input: ParseStream<'_>) -> syn::Result<Vec<Json>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(parse(input)?);
        comma_or_end(input)?;
    }
    Ok(items)
}

/// Rust's suffixes of numbers. The compiler doesn't check those in an attribute.
const SUFFIXES: [&str; 15] =
    ["", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];

/// The number that `literal` is, if it is one.
fn number(literal: &Lit, negative: bool) -> Option<syn::Result<Json>> {
    let sign = if negative { "-" } else { "" };
    if !SUFFIXES.contains(&literal.suffix()) && matches!(literal, Lit::Int(_) | Lit::Float(_)) {
        let help = "write the digits alone, in the unit of the property; a text has quotes";
        let message = format_args!("a number has no unit, such as `{}`\nhelp: {help}", literal.suffix());
        return Some(Err(syn::Error::new_spanned(literal, message)));
    }
    match literal {
        Lit::Int(int) => Some(
            format!("{sign}{}", int.base10_digits())
                .parse()
                .map(Json::Integer)
                .map_err(|_| syn::Error::new_spanned(int, "the number is too large")),
        ),
        Lit::Float(float) => {
            let digits = float.base10_digits();
            // Rust has `09.` and `1.`, and JSON has neither.
            let least = digits.trim_start_matches('0');
            let zero = if least.starts_with(|first: char| first.is_ascii_digit()) { "" } else { "0" };
            let end = if digits.ends_with('.') { "0" } else { "" };
            let digits = format!("{zero}{least}{end}");
            Some(match digits.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Json::Number(format!("{sign}{digits}"))),
                _ => Err(syn::Error::new_spanned(float, "the number is too large")),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::parse::Parser;

    use super::{member, parse, quoted, text};

    #[test]
    fn values_are_written_as_they_are_read() {
        let same = ["null", "true", "-12", "1.5", "-0.25", r#""a""#, "[1,[],{}]", r#"{"a":null,"b":[true]}"#];
        let others = [
            ("09.90", "9.90"),
            ("-007.5", "-7.5"),
            ("00.5", "0.5"),
            ("0.0", "0.0"),
            ("00e5", "0e5"),
            ("01e5", "1e5"),
            ("010.", "10.0"),
            ("0.", "0.0"),
            ("007", "7"),
        ];
        for (written, json) in same.map(|value| (value, value)).into_iter().chain(others) {
            let tokens = written.parse().expect("tokens");
            assert_eq!(
                parse.parse2(tokens).map(|json| json.text()).map_err(|error| error.to_string()),
                Ok(json.into())
            );
        }
        let wrong = ["nil", "1e400", "99999999999999999999999999999999999999999", "(1)", "'a'", r#"{"a": 1, "a": 2}"#];
        for value in wrong {
            assert!(parse.parse2(value.parse().expect("tokens")).is_err(), "{value}");
        }
    }

    #[test]
    fn text_is_escaped_where_json_requires_it() {
        assert_eq!(quoted("a\"\\\n\r\t\u{1}\u{1f}\u{20}é"), r#""a\"\\\n\r\t\u0001\u001f é""#);
        let written = |value| text(value, &quote!(schema)).to_string();
        assert_eq!(written("a"), quote!(schema::Text::plain("\"a\"")).to_string());
        assert_eq!(written("\n"), quote!(schema::Text::new("\n", "\"\\n\"")).to_string());
    }

    #[test]
    fn only_a_string_before_a_colon_begins_a_member() {
        assert!(member(&quote!("a": 1)).is_some_and(|member| member.is_ok()));
        assert!(member(&quote!("a": 1 2)).is_some_and(|member| member.is_err()));
        for other in [quote!(a: 1), quote!(1: 1), quote!("a" = 1), quote!("a"), quote!(name = "a": 1)] {
            assert!(member(&other).is_none(), "{other}");
        }
    }
}
