//! Types of the standard library, recognized by their names.
//!
//! The schema of a field comes from the trait `Parameter` and never from the name of its type, so a type of the author's
//! that has such a name gets its own schema. Names decide what only tokens can: better words for types that
//! cannot be used, whether serde surely knows a type, and how a constant becomes a literal.

use syn::{GenericArgument, PathArguments, Type};

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

/// Returns whether the type is a path of several names.
pub(super) fn is_qualified(ty: &Type) -> bool {
    matches!(peeled(ty), Type::Path(path) if path.path.segments.len() > 1)
}
