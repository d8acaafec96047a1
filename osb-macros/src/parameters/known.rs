//! Types that are known by their name, so that a mistake is found, and worded well, before the compiler knows types.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use crate::errors::Errors;

/// What a type's name tells about it.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    Boolean,
    /// The name of the type.
    Integer(String),
    Float,
    String,
    Char,
    List(Box<Known>),
    Map(Box<Known>),
    /// `Ipv4Addr`, `Ipv6Addr`.
    Address(String),
    /// Somebody's own, or an alias.
    Other,
}

impl Known {
    pub(crate) fn of(ty: &Type) -> Self {
        let ty = peeled(ty);
        let Some((name, arguments)) = standard_name(ty) else {
            return match ty {
                Type::Array(array) => Self::List(Box::new(Self::of(&array.elem))),
                _ => Self::Other,
            };
        };
        match (&*name, &*arguments) {
            ("bool", []) => Self::Boolean,
            (
                "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" | "NonZeroU8"
                | "NonZeroU16" | "NonZeroU32" | "NonZeroU64" | "NonZeroUsize",
                [],
            ) => Self::Integer(name),
            ("f32" | "f64", []) => Self::Float,
            ("String", []) => Self::String,
            ("char", []) => Self::Char,
            ("Vec" | "BTreeSet" | "HashSet", [item]) => Self::List(Box::new(Self::of(item))),
            ("BTreeMap" | "HashMap", [_, value]) => Self::Map(Box::new(Self::of(value))),
            ("Ipv4Addr" | "Ipv6Addr", []) => Self::Address(name),
            ("Box" | "Option", [inner]) => Self::of(inner),
            _ => Self::Other,
        }
    }

    /// Whether the constraint called `word` applies; `None` if only the compiler knows.
    pub(crate) fn takes(&self, word: &str) -> Option<bool> {
        if let Self::Other = self {
            return None;
        }
        Some(match word {
            "range" | "multiple_of" => matches!(self, Self::Integer(_) | Self::Float),
            "length" => matches!(self, Self::String | Self::List(_) | Self::Map(_)),
            "pattern" | "format" => matches!(self, Self::String),
            "unique" => matches!(self, Self::List(_)),
            "items" => matches!(self, Self::List(_) | Self::Map(_)),
            _ => true,
        })
    }

    /// Whether serde is known to read and write the type.
    pub(crate) fn is_serde(&self) -> bool {
        match self {
            Self::Other => false,
            Self::List(inner) | Self::Map(inner) => inner.is_serde(),
            _ => true,
        }
    }

    /// A constraint that this type takes, for help.
    pub(crate) fn suggestion(&self) -> Option<&'static str> {
        match self {
            Self::Integer(_) | Self::Float => Some("a number takes `range(min = .., max = ..)` and `multiple_of`"),
            Self::String => Some("a string takes `length(min = .., max = ..)`, `pattern` and `format`"),
            Self::List(_) => Some(
                "a list takes `length(min = .., max = ..)` and `unique`; what its elements have to be goes into `items(...)`",
            ),
            Self::Map(_) => {
                Some("a map takes `length(min = .., max = ..)`; what its values have to be goes into `items(...)`")
            }
            _ => None,
        }
    }
}

/// The type inside of parentheses, and of the invisible groups that `macro_rules!` makes.
fn peeled(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peeled(&group.elem),
        Type::Paren(paren) => peeled(&paren.elem),
        _ => ty,
    }
}

/// The last name of a path that is the standard library's, judging by its looks, and its type arguments.
fn standard_name(ty: &Type) -> Option<(String, Vec<&Type>)> {
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

/// What is inside of an `Option`, if `ty` is one.
pub(crate) fn optional(ty: &Type) -> Option<&Type> {
    match standard_name(peeled(ty))? {
        (name, arguments) if name == "Option" => arguments.first().copied(),
        _ => None,
    }
}

/// Reports a type that cannot stand in parameters, where its looks say so.
pub(crate) fn refuse(ty: &Type, own_name: &str, errors: &mut Errors) -> bool {
    let before = errors.count();
    match peeled(ty) {
        Type::Tuple(tuple) if tuple.elems.is_empty() => {
            errors.help(ty, "`()` cannot be used in parameters", "leave the field out, or use `bool`");
        }
        Type::Tuple(_) => errors.help(
            ty,
            "a tuple cannot be used in parameters: its parts have no names",
            "write a struct with named fields and `#[parameters]`, or `[T; N]` if all parts have the same type",
        ),
        Type::Reference(reference) => {
            let inner = reference.elem.to_token_stream().to_string();
            let owned = if inner == "str" { "String".to_owned() } else { inner };
            errors.help(
                ty,
                "a reference cannot be used in parameters: they are read from a request",
                format_args!("own the value: `{owned}`"),
            );
        }
        Type::Slice(_) => errors.help(ty, "a slice cannot be used in parameters", "own the items: `Vec<T>`"),
        Type::Path(path) => {
            if let Some(segment) = path.path.segments.last()
                && let PathArguments::AngleBracketed(list) = &segment.arguments
            {
                for argument in &list.args {
                    if let GenericArgument::Type(inner) = argument {
                        refuse(inner, own_name, errors);
                    }
                }
            }
            if path.qself.is_none() && (path.path.is_ident(own_name) || path.path.is_ident("Self")) {
                errors.help(
                    ty,
                    format_args!("`{own_name}` contains itself"),
                    "a schema in the catalog has to end somewhere: spell out as many levels as are needed, each a type of its own, or use `serde_json::Value`",
                );
            }
            if let Some((name, arguments)) = standard_name(peeled(ty)) {
                refuse_standard(ty, &name, &arguments, errors);
            }
        }
        _ => {}
    }
    errors.count() > before
}

fn refuse_standard(ty: &Type, name: &str, arguments: &[&Type], errors: &mut Errors) {
    match (name, arguments) {
        ("u128" | "i128", []) => errors.help(
            ty,
            format_args!("`{name}` cannot be used in parameters: JSON parsers read numbers of 64 bits at most"),
            format_args!("use `{}64`, or a `String` with a pattern", &name[..1]),
        ),
        ("NonZeroI8" | "NonZeroI16" | "NonZeroI32" | "NonZeroI64" | "NonZeroIsize", []) => errors.help(
            ty,
            format_args!(
                "`{name}` cannot be used in parameters: the bounds in a schema cannot leave out 0 in the middle"
            ),
            format_args!("use `i{}` and check for 0 in the handler", &name[8..]),
        ),
        ("str", []) => errors.help(ty, "`str` cannot be used in parameters", "own it: `String`"),
        ("BTreeMap" | "HashMap", [key, _]) if !matches!(Known::of(key), Known::String | Known::Other) => {
            errors.help(
                key,
                "the keys of a map in parameters are strings",
                "write `String` for the key, or make the map a list of structs",
            );
        }
        ("Option", [inner]) if optional(inner).is_some() => errors.help(
            ty,
            "an `Option` in an `Option` cannot be used in parameters: a property is there or it isn't",
            "write `Option<T>`",
        ),
        ("Vec" | "BTreeSet" | "HashSet", [inner]) if optional(inner).is_some() => errors.help(
            inner,
            "an element of a list cannot be absent, and `null` is refused in parameters",
            "write the type without `Option`",
        ),
        _ => {}
    }
}
