//! Types of the standard library, recognized by their names.
//!
//! The schema of a field comes from the trait `Parameter` and never from the name of its type, so a type of the author's
//! that has such a name gets its own schema. Names decide what only tokens can: better words for types that
//! cannot be used, whether serde surely knows a type, and how a constant becomes a literal.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use super::parse::Place;
use crate::{args::as_written, errors::Errors};

/// A type, as far as its name tells.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Boolean,
    Integer,
    Float,
    String,
    Char,
    Address,
    /// A container of these types; serde knows it if it knows all of them.
    Container(Vec<Known>),
    /// A type of the author's, or an alias.
    Other,
}

impl Known {
    pub(super) fn of(ty: &Type) -> Self {
        let ty = peeled(ty);
        let Some((name, arguments)) = standard_name(ty) else {
            return match ty {
                Type::Array(array) => Self::Container(vec![Self::of(&array.elem)]),
                _ => Self::Other,
            };
        };
        match (&*name, &*arguments) {
            ("bool", []) => Self::Boolean,
            (
                "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" | "NonZeroU8"
                | "NonZeroU16" | "NonZeroU32" | "NonZeroU64" | "NonZeroUsize",
                [],
            ) => Self::Integer,
            ("f32" | "f64", []) => Self::Float,
            ("String", []) => Self::String,
            ("char", []) => Self::Char,
            ("Ipv4Addr" | "Ipv6Addr", []) => Self::Address,
            ("Box" | "Option" | "Vec" | "BTreeSet" | "HashSet", [inner]) => Self::Container(vec![Self::of(inner)]),
            ("BTreeMap" | "HashMap", [key, value]) => Self::Container(vec![Self::of(key), Self::of(value)]),
            _ => Self::Other,
        }
    }

    /// Returns whether serde is known to read and write the type.
    pub(super) fn is_serde(&self) -> bool {
        match self {
            Self::Other => false,
            Self::Container(inner) => inner.iter().all(Self::is_serde),
            _ => true,
        }
    }

    /// Returns whether the type is one without arguments, which an update replaces as a whole.
    pub(super) fn is_scalar(&self) -> bool {
        !matches!(self, Self::Other | Self::Container(_))
    }
}

/// Returns the type inside parentheses, and inside the invisible groups that `macro_rules!` makes.
pub(super) fn peeled(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peeled(&group.elem),
        Type::Paren(paren) => peeled(&paren.elem),
        _ => ty,
    }
}

/// Returns the last name and the type arguments of a path that looks like one of the standard library.
pub(super) fn standard_name(ty: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(path) = ty else { return None };
    let segments = &path.path.segments;
    let root = segments.first()?;
    if path.qself.is_some() || (segments.len() > 1 && !["std", "core", "alloc"].iter().any(|name| root.ident == name)) {
        return None;
    }
    let last = segments.last()?;
    let arguments = match &last.arguments {
        PathArguments::AngleBracketed(given) => given
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    Some((last.ident.to_string(), arguments))
}

/// Returns whether values of the type, or of its arguments, probably can't be shared between threads.
pub(super) fn is_of_one_thread(ty: &Type) -> bool {
    let Some((name, arguments)) = standard_name(peeled(ty)) else { return false };
    ["Rc", "Cell", "RefCell", "OnceCell"].contains(&&*name) || arguments.into_iter().any(is_of_one_thread)
}

/// Returns the type inside an `Option`.
pub(super) fn optional(ty: &Type) -> Option<&Type> {
    match standard_name(peeled(ty))? {
        (name, arguments) if name == "Option" => arguments.first().copied(),
        _ => None,
    }
}

/// Returns whether a type of the standard library, or one in its arguments, lacks arguments. The compiler reports each mention of
/// such a type.
pub(super) fn lacks_arguments(ty: &Type) -> bool {
    let Some((name, arguments)) = standard_name(peeled(ty)) else { return false };
    let needed = match &*name {
        "HashMap" | "BTreeMap" => 2,
        "Vec" | "Option" | "Box" | "HashSet" | "BTreeSet" => 1,
        _ => 0,
    };
    arguments.len() < needed || arguments.iter().any(|inner| lacks_arguments(inner))
}

/// Returns whether a type is `str` or a slice, or contains the type `own_name`, so that a struct with it has no size. The compiler
/// reports this at each use of the struct.
pub(super) fn has_no_size(ty: &Type, own_name: &str) -> bool {
    let is_one_of = |ty: &Type| {
        matches!(peeled(ty), Type::Slice(_))
            || matches!(peeled(ty), Type::Path(path) if path.qself.is_none()
            && ["str", "Self", own_name].iter().any(|name| path.path.is_ident(name)))
    };
    is_one_of(ty) || optional(ty).is_some_and(is_one_of)
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

/// Reports a type whose name says that it cannot stand in parameters or credentials.
pub(super) fn refuse(ty: &Type, own_name: &str, place: Place, errors: &mut Errors) -> bool {
    let kind = place.kind();
    let before = errors.count();
    match peeled(ty) {
        Type::Tuple(tuple) if tuple.elems.is_empty() => {
            errors.help(ty, format_args!("`()` cannot be used in {kind}"), "leave the field out, or use `bool`");
        }
        Type::Tuple(_) => errors.help(
            ty,
            format_args!("a tuple cannot be used in {kind}: its parts have no names"),
            "write a struct with named fields and `#[parameters]`, or `[T; N]` if all parts have the same type",
        ),
        Type::Reference(reference) => {
            errors.help(
                ty,
                format_args!("a reference cannot be used in {kind}, which own their values"),
                format_args!("own the value: `{}`", owned(&reference.elem)),
            );
        }
        Type::TraitObject(_) | Type::ImplTrait(_) => errors.help(
            ty,
            format_args!("a trait object cannot be used in {kind}: its properties are unknown"),
            "write the type itself, or an enum with `#[parameters(tag = \"kind\")]` for one of several",
        ),
        Type::FnPtr(_) | Type::Ptr(_) | Type::Never(_) => errors.help(
            ty,
            format_args!("this type cannot be used in {kind}: JSON has no such values"),
            "write a type of data, such as a number, a `String` or a struct with `#[parameters]`",
        ),
        Type::Array(array) => {
            let length = match &array.len {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => length.base10_parse().ok(),
                _ => None,
            };
            let element = array.elem.to_token_stream();
            if let Some(length @ 33_u64..) = length {
                let list = if place == Place::Credentials {
                    format!("`Vec<{element}>`")
                } else {
                    format!("`Vec<{element}>` with `#[param(length(min = {length}, max = {length}))]`")
                };
                let message =
                    format_args!("an array of {length} elements cannot be used in {kind}: serde reads at most 32");
                errors.help(ty, message, format_args!("write {list}"));
            } else if optional(&array.elem).is_some() {
                refuse_absent("an element of a list", &array.elem, place, errors);
            } else {
                refuse(&array.elem, own_name, place, errors);
            }
        }
        Type::Slice(slice) => errors.help(
            ty,
            format_args!("a slice cannot be used in {kind}"),
            format_args!("own the items: `Vec<{}>`", owned(&slice.elem)),
        ),
        Type::Path(path) => {
            let standard = standard_name(peeled(ty));
            // The pointer and the `str` in `Arc<str>` are one mistake.
            let is_shared = matches!(&standard, Some((name, _)) if name == "Arc" || name == "Rc");
            if let Some(segment) = path.path.segments.last()
                && let PathArguments::AngleBracketed(list) = &segment.arguments
                && !is_shared
            {
                for argument in &list.args {
                    if let GenericArgument::Type(inner) = argument {
                        refuse(inner, own_name, place, errors);
                    }
                }
            }
            if path.qself.is_none() && (path.path.is_ident(own_name) || path.path.is_ident("Self")) {
                errors.help(
                    ty,
                    format_args!("`{own_name}` contains itself"),
                    "a recursive type has no finite schema: write as many levels as are needed as separate types, or use `serde_json::Value`",
                );
            }
            if let Some((name, arguments)) = standard {
                refuse_standard(ty, &name, &arguments, place, errors);
            }
        }
        _ => {}
    }
    errors.count() > before
}

/// Returns whether the type is a path of several names.
pub(super) fn is_qualified(ty: &Type) -> bool {
    matches!(peeled(ty), Type::Path(path) if path.path.segments.len() > 1)
}

fn refuse_standard(ty: &Type, name: &str, arguments: &[&Type], place: Place, errors: &mut Errors) {
    let kind = place.kind();
    match (name, arguments) {
        ("u128" | "i128", []) => errors.help(
            ty,
            format_args!("`{name}` cannot be used in {kind}: JSON parsers read numbers of 64 bits at most"),
            format_args!("use `{}64`, or a `String` with a pattern", &name[..1]),
        ),
        ("NonZeroI8" | "NonZeroI16" | "NonZeroI32" | "NonZeroI64" | "NonZeroIsize", []) => errors.help(
            ty,
            format_args!("`{name}` cannot be used in {kind}: the bounds in a schema cannot leave out 0 in the middle"),
            format_args!("use `i{}` and check for 0 in the handler", &name[8..]),
        ),
        // Without `std::` it could be a type of the author's.
        ("SystemTime" | "Instant", []) if is_qualified(ty) => {
            let help = match place {
                Place::Credentials => "use `String`; `Bound::expires_at` says when a binding expires",
                _ => "use `String` with `#[param(format = \"date-time\")]`",
            };
            errors.help(ty, format_args!("`{name}` cannot be used in {kind}: JSON has no such values"), help);
        }
        ("Duration", []) if is_qualified(ty) => errors.help(
            ty,
            format_args!("`Duration` cannot be used in {kind}: JSON has no such values"),
            "use a number and name its unit, for example `ttl_seconds: u64`",
        ),
        ("PathBuf" | "OsString", []) if is_qualified(ty) => errors.help(
            ty,
            format_args!("`{name}` cannot be used in {kind}: a path on the broker's machine means nothing to the user"),
            "use `String`",
        ),
        ("Result", [value, _]) => {
            let value = value.to_token_stream();
            let (reason, otherwise) = match place {
                Place::Credentials => ("an application gets a value", "a handler without one returns an error"),
                _ => ("a user sends a value", "the broker answers 400 to values that the type can't have"),
            };
            let message = format_args!("a `Result` cannot be used in {kind}: {reason}");
            errors.help(ty, message, format_args!("write `{value}`: {otherwise}"));
        }
        ("Arc" | "Rc" | "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock", [value]) => {
            let is_str = matches!(value, Type::Path(path) if path.path.is_ident("str"));
            let value = if is_str { "String".to_owned() } else { as_written(value) };
            let article = if matches!(name, "Arc" | "Rc" | "RwLock" | "OnceCell" | "OnceLock") { "an" } else { "a" };
            errors.help(
                ty,
                format_args!("{article} `{name}` cannot be used in {kind}, which own their values"),
                format_args!("write `{value}`"),
            );
        }
        ("str", []) => errors.help(ty, format_args!("`str` cannot be used in {kind}"), "own it: `String`"),
        ("BTreeMap" | "HashMap", [] | [_]) => {
            let value = arguments.first().map_or_else(|| "T".to_owned(), |value| value.to_token_stream().to_string());
            errors.help(
                ty,
                format_args!("`{name}` lacks a type argument"),
                format_args!("write `{name}<String, {value}>`"),
            );
        }
        ("Vec" | "Option" | "Box" | "BTreeSet" | "HashSet", []) => {
            errors.help(ty, format_args!("`{name}` lacks a type argument"), format_args!("write `{name}<T>`"));
        }
        // A key that can't be used anywhere is reported already.
        ("BTreeMap" | "HashMap", [key, _])
            if !matches!(Known::of(key), Known::String | Known::Other)
                && !refuse(key, "", place, &mut Errors::default()) =>
        {
            errors.help(
                key,
                format_args!("the keys of a map in {kind} are strings"),
                "write `String` for the key, or make the map a list of structs",
            );
        }
        ("Option", [inner]) if optional(inner).is_some() => errors.help(
            ty,
            format_args!("an `Option` in an `Option` cannot be used in {kind}: a property is present or absent"),
            format_args!("write `{}`", as_written(inner)),
        ),
        ("BTreeSet" | "HashSet", [inner]) if matches!(Known::of(inner), Known::Float) => {
            let element = inner.to_token_stream();
            let unique = if place == Place::Credentials { "" } else { " with `#[param(unique)]`" };
            errors.help(
                inner,
                format_args!("`{element}` cannot be in a set: it has neither `Eq` nor an order"),
                format_args!("write `Vec<{element}>`{unique}"),
            );
        }
        ("Vec" | "BTreeSet" | "HashSet", [inner]) if optional(inner).is_some() => {
            refuse_absent("an element of a list", inner, place, errors);
        }
        ("BTreeMap" | "HashMap", [_, value]) if optional(value).is_some() => {
            refuse_absent("a value in a map", value, place, errors);
        }
        ("Box", [inner]) if optional(inner).is_some() => {
            let help = format!("write `Option<Box<{}>>`", optional(inner).map(as_written).unwrap_or_default());
            errors.help(ty, "a `Box` hides the `Option`: a property that may be absent is an `Option`", help);
        }
        _ => {}
    }
}

fn refuse_absent(what: &str, ty: &Type, place: Place, errors: &mut Errors) {
    let kind = place.kind();
    let message = format_args!("{what} cannot be absent, and `null` is refused in {kind}");
    errors.help(ty, message, "write the type without `Option`");
}
