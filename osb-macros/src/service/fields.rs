//! Fields whose types can't be shared between threads. Handlers run in parallel, so that a service has to be `Sync`; the
//! compiler would say so of each handler, and not of the field.
//!
//! Types of the standard library are found by their names. Of others the tokens don't tell: [`require_shareable`].

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericArgument, Ident, ItemStruct, Path, PathArguments, Type, TypeParamBound};

use crate::{
    errors::Errors,
    runtime::Runtime,
    spans::{preserve_spans, respan},
};

/// Reports such fields, and replaces their types by ones that have the error: the struct counts as `Sync`. Returns whether
/// there are any.
pub(super) fn refuse_unshareable(item: &mut ItemStruct) -> bool {
    let mut found = false;
    for field in &mut item.fields {
        let Some((ty, help)) = unshareable(&field.ty) else { continue };
        let mut errors = Errors::default();
        let name = ty.to_token_stream().to_string().replace(" < ", "<").replace(" >", ">").replace(" :: ", "::");
        errors.help(
            &field.ty,
            format_args!("handlers run in parallel, so a service has to be `Sync`, and `{name}` isn't"),
            help,
        );
        if let Some(unknown) = errors.take_as_type() {
            field.ty = Type::Verbatim(unknown);
            found = true;
        }
    }
    found
}

/// Returns the part of a type that isn't `Sync`, and what to use instead.
fn unshareable(ty: &Type) -> Option<(&dyn ToTokens, &'static str)> {
    match ty {
        Type::Group(group) => unshareable(&group.elem),
        Type::Paren(paren) => unshareable(&paren.elem),
        Type::Array(array) => unshareable(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(unshareable),
        Type::Ptr(_) => Some((ty, "keep the value itself, or its address as a number")),
        Type::TraitObject(object) => {
            let mut names = object.bounds.iter().filter_map(|bound| match bound {
                TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
                _ => None,
            });
            let first = names.next()?;
            let is_open = ["Fn", "FnMut", "FnOnce", "Any", "Error", "Future", "Iterator"].contains(&&*first);
            (is_open && !names.any(|name| name == "Sync")).then_some((ty as _, "add `+ Send + Sync` to it"))
        }
        Type::Path(path) => unshareable_path(ty, &path.path),
        _ => None,
    }
}

fn unshareable_path<'a>(ty: &'a Type, path: &'a Path) -> Option<(&'a dyn ToTokens, &'static str)> {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else { return None };
    let locks = "use `std::sync::Mutex`, `std::sync::RwLock` or an atomic";
    match names[..] {
        ["Cell" | "RefCell"] | [.., "cell", "Cell" | "RefCell" | "UnsafeCell"] => Some((ty, locks)),
        ["std" | "core", "cell", "OnceCell"] => Some((ty, "use `std::sync::OnceLock`")),
        ["Rc"] | [.., "rc", "Rc" | "Weak"] => Some((ty, "use `std::sync::Arc`")),
        ["std", "sync", "mpsc", "Receiver"] => Some((ty, "put it into a `std::sync::Mutex`")),
        [
            ..,
            "Option" | "Vec" | "VecDeque" | "Box" | "Arc" | "BTreeMap" | "HashMap" | "BTreeSet" | "HashSet" | "Result",
        ] => arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(inner) => unshareable(inner),
            _ => None,
        }),
        _ => None,
    }
}

/// Changes each field's type so that it has an error if the compiler finds it unshareable: then the struct counts as `Sync`.
/// Returns whether there are any such types, which is not so if their names say that they can be shared.
///
/// A type that names the service itself stays as it is: whether the service can be shared would depend on itself.
pub(super) fn require_shareable(item: &mut ItemStruct, runtime: &Runtime) -> bool {
    let mut found = false;
    for field in &mut item.fields {
        found |= require(&mut field.ty, &item.ident, runtime);
    }
    found
}

fn require(ty: &mut Type, service: &Ident, runtime: &Runtime) -> bool {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last_mut()
    {
        let name = last.ident.to_string();
        match &mut last.arguments {
            PathArguments::None if PLAIN.contains(&&*name) => return false,
            // What other macros see of the type stays: some treat an `Option` in their own way.
            PathArguments::AngleBracketed(arguments) if CONTAINERS.contains(&&*name) => {
                let mut found = false;
                for argument in &mut arguments.args {
                    if let GenericArgument::Type(inner) = argument {
                        found |= require(inner, service, runtime);
                    }
                }
                return found;
            }
            _ => {}
        }
    }
    if names(ty.to_token_stream(), service) {
        return false;
    }
    let (p, of) = (runtime.private(), preserve_spans(ty));
    *ty = Type::Verbatim(respan(ty, quote!(<#of as #p::Checked<{ #p::is_shareable::<#of>() }>>::Itself)));
    true
}

/// Types that threads can share, by their names.
const PLAIN: &[&str] = &[
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32",
    "f64", "String", "PathBuf", "Duration", "Instant",
];

/// Types that threads can share if they can share the arguments.
const CONTAINERS: &[&str] = &["Option", "Vec", "VecDeque", "Box", "BTreeMap", "HashMap", "BTreeSet", "HashSet"];

fn names(tokens: TokenStream, service: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *service || ident == "Self",
        TokenTree::Group(group) => names(group.stream(), service),
        _ => false,
    })
}
