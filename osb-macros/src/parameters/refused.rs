//! Types that cannot stand in parameters or credentials, as their names say, each with a type to write instead.
//!
//! The compiler reports all others, without such words: see [`known`](super::known).

use quote::ToTokens;
use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, Type, TypeArray, TypePath};

use super::{
    known::{Known, is_qualified, optional, peeled, standard_name},
    param::Place,
};
use crate::{args::as_written, errors::Errors};

/// Reports such a type, also one among the arguments of `ty`. Returns whether there is one.
pub(super) fn refuse(ty: &Type, own_name: &str, place: Place, errors: &mut Errors) -> bool {
    let before = errors.count();
    match peeled(ty) {
        Type::Array(array) => refuse_array(ty, array, own_name, place, errors),
        Type::Path(path) => refuse_path(ty, path, own_name, place, errors),
        other => report(ty, no_data(other, place.kind()), errors),
    }
    errors.count() > before
}

/// The message about a type, and the help.
type Mistake = (String, String);

fn report(ty: &Type, mistake: Option<Mistake>, errors: &mut Errors) {
    if let Some((message, help)) = mistake {
        errors.help(ty, message, help);
    }
}

/// Returns the mistake in a type that has no name.
fn no_data(ty: &Type, kind: &str) -> Option<Mistake> {
    Some(match ty {
        Type::Tuple(tuple) if tuple.elems.is_empty() => {
            (format!("`()` cannot be used in {kind}"), "leave the field out, or use `bool`".to_owned())
        }
        Type::Tuple(_) => (
            format!("a tuple cannot be used in {kind}: its parts have no names"),
            "write a struct with named fields and `#[parameters]`, or `[T; N]` if all parts have the same type"
                .to_owned(),
        ),
        Type::Reference(reference) => (
            format!("a reference cannot be used in {kind}, which own their values"),
            format!("own the value: `{}`", owned(&reference.elem)),
        ),
        Type::TraitObject(_) | Type::ImplTrait(_) => (
            format!("a trait object cannot be used in {kind}: its properties are unknown"),
            "write the type itself, or an enum with `#[parameters(tag = \"kind\")]` for one of several".to_owned(),
        ),
        Type::FnPtr(_) | Type::Ptr(_) | Type::Never(_) => (
            format!("this type cannot be used in {kind}: JSON has no such values"),
            "write a type of data, such as a number, a `String` or a struct with `#[parameters]`".to_owned(),
        ),
        Type::Slice(slice) => {
            (format!("a slice cannot be used in {kind}"), format!("own the items: `Vec<{}>`", owned(&slice.elem)))
        }
        _ => return None,
    })
}

/// Returns the type, as it is written, that owns the values of a type.
fn owned(ty: &Type) -> String {
    match ty {
        Type::Reference(reference) => owned(&reference.elem),
        Type::Slice(slice) => format!("Vec<{}>", owned(&slice.elem)),
        Type::Path(path) if path.path.is_ident("str") => "String".to_owned(),
        _ => as_written(ty),
    }
}

fn refuse_array(ty: &Type, array: &TypeArray, own_name: &str, place: Place, errors: &mut Errors) {
    let length = match &array.len {
        Expr::Lit(ExprLit { lit: Lit::Int(length), .. }) => length.base10_parse().ok(),
        _ => None,
    };
    if let Some(length @ 33_u64..) = length {
        let (kind, element) = (place.kind(), array.elem.to_token_stream());
        let list = if place == Place::Credentials {
            format!("`Vec<{element}>`")
        } else {
            format!("`Vec<{element}>` with `#[param(length(min = {length}, max = {length}))]`")
        };
        let message = format_args!("an array of {length} elements cannot be used in {kind}: serde reads at most 32");
        errors.help(ty, message, format_args!("write {list}"));
    } else if optional(&array.elem).is_some() {
        refuse_absent("an element of a list", &array.elem, place, errors);
    } else {
        refuse(&array.elem, own_name, place, errors);
    }
}

fn refuse_path(ty: &Type, TypePath { qself, path, .. }: &TypePath, own_name: &str, place: Place, errors: &mut Errors) {
    let standard = standard_name(peeled(ty));
    // The pointer and the `str` in `Arc<str>` are one mistake.
    let is_shared = matches!(&standard, Some((name, _)) if name == "Arc" || name == "Rc");
    if let Some(segment) = path.segments.last()
        && let PathArguments::AngleBracketed(list) = &segment.arguments
        && !is_shared
    {
        for argument in &list.args {
            if let GenericArgument::Type(inner) = argument {
                refuse(inner, own_name, place, errors);
            }
        }
    }
    if qself.is_none() && (path.is_ident(own_name) || path.is_ident("Self")) {
        errors.help(
            ty,
            format_args!("`{own_name}` contains itself"),
            "a recursive type has no finite schema: write as many levels as are needed as separate types, or use `serde_json::Value`",
        );
    }
    match standard.as_ref().map(|(name, arguments)| (&**name, &**arguments)) {
        Some(("BTreeMap" | "HashMap", [key, value])) => refuse_entries(key, value, place, errors),
        Some((name @ ("Vec" | "BTreeSet" | "HashSet"), [element])) => refuse_elements(name, element, place, errors),
        Some((name, arguments)) => report(ty, standard_mistake(ty, name, arguments, place), errors),
        None => {}
    }
}

fn refuse_entries(key: &Type, value: &Type, place: Place, errors: &mut Errors) {
    // A key that can't be used anywhere is reported already.
    if !matches!(Known::of(key), Known::String | Known::Other) && !refuse(key, "", place, &mut Errors::default()) {
        errors.help(
            key,
            format_args!("the keys of a map in {} are strings", place.kind()),
            "write `String` for the key, or make the map a list of structs",
        );
    } else if optional(value).is_some() {
        refuse_absent("a value in a map", value, place, errors);
    }
}

fn refuse_elements(list: &str, element: &Type, place: Place, errors: &mut Errors) {
    if list != "Vec" && matches!(Known::of(element), Known::Float) {
        let written = element.to_token_stream();
        let unique = if place == Place::Credentials { "" } else { " with `#[param(unique)]`" };
        errors.help(
            element,
            format_args!("`{written}` cannot be in a set: it has neither `Eq` nor an order"),
            format_args!("write `Vec<{written}>`{unique}"),
        );
    } else if optional(element).is_some() {
        refuse_absent("an element of a list", element, place, errors);
    }
}

fn refuse_absent(what: &str, ty: &Type, place: Place, errors: &mut Errors) {
    let kind = place.kind();
    let message = format_args!("{what} cannot be absent, and `null` is refused in {kind}");
    errors.help(ty, message, "write the type without `Option`");
}

/// Returns the mistake in a type of the standard library.
fn standard_mistake(ty: &Type, name: &str, arguments: &[&Type], place: Place) -> Option<Mistake> {
    let kind = place.kind();
    let no_values = || format!("`{name}` cannot be used in {kind}: JSON has no such values");
    Some(match (name, arguments) {
        ("u128" | "i128", []) => (
            format!("`{name}` cannot be used in {kind}: JSON parsers read numbers of 64 bits at most"),
            format!("use `{}64`, or a `String` with a pattern", &name[..1]),
        ),
        ("NonZeroI8" | "NonZeroI16" | "NonZeroI32" | "NonZeroI64" | "NonZeroIsize", []) => (
            format!("`{name}` cannot be used in {kind}: the bounds in a schema cannot leave out 0 in the middle"),
            format!("use `i{}` and check for 0 in the handler", &name[8..]),
        ),
        // Without `std::` it could be a type of the author's.
        ("SystemTime" | "Instant", []) if is_qualified(ty) => {
            let help = match place {
                Place::Credentials => "use `String`; `Bound::expires_at` says when a binding expires",
                _ => "use `String` with `#[param(format = \"date-time\")]`",
            };
            (no_values(), help.to_owned())
        }
        ("Duration", []) if is_qualified(ty) => {
            (no_values(), "use a number and name its unit, for example `ttl_seconds: u64`".to_owned())
        }
        ("PathBuf" | "OsString", []) if is_qualified(ty) => (
            format!("`{name}` cannot be used in {kind}: a path on the broker's machine means nothing to the user"),
            "use `String`".to_owned(),
        ),
        ("Result", [value, _]) => {
            let (reason, otherwise) = match place {
                Place::Credentials => ("an application gets a value", "a handler without one returns an error"),
                _ => ("a user sends a value", "the broker answers 400 to values that the type can't have"),
            };
            (
                format!("a `Result` cannot be used in {kind}: {reason}"),
                format!("write `{}`: {otherwise}", value.to_token_stream()),
            )
        }
        ("Arc" | "Rc" | "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock", [value]) => {
            let is_str = matches!(value, Type::Path(path) if path.path.is_ident("str"));
            let value = if is_str { "String".to_owned() } else { as_written(value) };
            let article = if matches!(name, "Arc" | "Rc" | "RwLock" | "OnceCell" | "OnceLock") { "an" } else { "a" };
            (format!("{article} `{name}` cannot be used in {kind}, which own their values"), format!("write `{value}`"))
        }
        ("str", []) => (format!("`str` cannot be used in {kind}"), "own it: `String`".to_owned()),
        ("BTreeMap" | "HashMap", [] | [_]) => {
            let value = arguments.first().map_or_else(|| "T".to_owned(), |value| value.to_token_stream().to_string());
            (format!("`{name}` lacks a type argument"), format!("write `{name}<String, {value}>`"))
        }
        ("Vec" | "Option" | "Box" | "BTreeSet" | "HashSet", []) => {
            (format!("`{name}` lacks a type argument"), format!("write `{name}<T>`"))
        }
        ("Option", [inner]) if optional(inner).is_some() => (
            format!("an `Option` in an `Option` cannot be used in {kind}: a property is present or absent"),
            format!("write `{}`", as_written(inner)),
        ),
        ("Box", [inner]) => (
            "a `Box` hides the `Option`: a property that may be absent is an `Option`".to_owned(),
            format!("write `Option<Box<{}>>`", as_written(optional(inner)?)),
        ),
        _ => return None,
    })
}
