//! Fields whose types can't be shared between threads. Handlers run in parallel, so a service has to be `Sync`; the
//! compiler would report each handler, not the field.
//!
//! Types of the standard library are recognized by their names; [`require_shareable`] leaves the others to the compiler.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{AngleBracketedGenericArguments, GenericArgument, ItemStruct, Path, PathArguments, Type, TypeParamBound};

use crate::{
    args::as_written,
    errors::Errors,
    runtime::Runtime,
    spans::{preserve_spans, respan},
};

/// Reports such fields, and replaces their types by ones that have the error: the struct counts as `Sync`. Returns whether
/// there are any.
pub(super) fn refuse_unshareable(item: &mut ItemStruct) -> bool {
    let mut is_changed = false;
    for field in &mut item.fields {
        let Some((ty, help)) = unshareable(&field.ty) else { continue };
        let mut errors = Errors::default();
        let message = "handlers run in parallel, so a service has to be `Sync`";
        errors.help(&field.ty, format_args!("{message}, and `{}` isn't", as_written(ty)), help);
        if let Some(unknown) = errors.take_as_type() {
            field.ty = Type::Verbatim(unknown);
            is_changed = true;
        }
    }
    is_changed
}

/// A part of a type, and its replacement.
type Mistake<'a> = (&'a Type, &'static str);

const POINTER: &str = "keep the value itself, or its address as a number";

/// Returns the part of a type that isn't `Sync`, and its replacement.
fn unshareable(ty: &Type) -> Option<Mistake<'_>> {
    match ty {
        Type::Group(group) => unshareable(&group.elem),
        Type::Paren(paren) => unshareable(&paren.elem),
        Type::Array(array) => unshareable(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(unshareable),
        Type::Ptr(_) => Some((ty, POINTER)),
        Type::TraitObject(object) => {
            let mut names = object.bounds.iter().filter_map(|bound| match bound {
                TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
                _ => None,
            });
            let first = names.next()?;
            let is_open = ["Fn", "FnMut", "FnOnce", "Any", "Error", "Future", "Iterator"].contains(&&*first);
            (is_open && !names.any(|name| name == "Sync")).then_some((ty, "add `+ Send + Sync` to it"))
        }
        Type::Path(path) => unshareable_path(ty, &path.path),
        _ => None,
    }
}

fn unshareable_path<'a>(ty: &'a Type, path: &'a Path) -> Option<Mistake<'a>> {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else { return None };
    let locks = "use `std::sync::Mutex`, `std::sync::RwLock` or an atomic";
    match names[..] {
        // Without a path it can be the author's own.
        [.., "cell", "Cell" | "RefCell" | "UnsafeCell"] => Some((ty, locks)),
        ["std" | "core", "cell", "OnceCell"] => Some((ty, "use `std::sync::OnceLock`")),
        ["Rc"] | [.., "rc", "Rc" | "Weak"] => Some((ty, "use `std::sync::Arc`")),
        ["Mutex" | "RwLock"] | ["std", "sync", "Mutex" | "RwLock"] => inside(arguments, unsendable),
        ["std", "sync", "mpsc", "Receiver"] => Some((ty, "put it into a `std::sync::Mutex`")),
        [
            ..,
            "Option" | "Vec" | "VecDeque" | "Box" | "Arc" | "BTreeMap" | "HashMap" | "BTreeSet" | "HashSet" | "Result",
        ] => inside(arguments, unshareable),
        _ => None,
    }
}

fn inside<'a>(
    arguments: &'a AngleBracketedGenericArguments,
    find: fn(&'a Type) -> Option<Mistake<'a>>,
) -> Option<Mistake<'a>> {
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(inner) => find(inner),
        _ => None,
    })
}

/// Returns the part of a type that a lock can't share either, because it has to stay in its thread.
fn unsendable(ty: &Type) -> Option<Mistake<'_>> {
    let Type::Path(path) = ty else { return matches!(ty, Type::Ptr(_)).then_some((ty, POINTER)) };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match &*last.ident.to_string() {
        "Rc" => unshareable_path(ty, &path.path),
        "Option" | "Vec" | "VecDeque" | "Box" | "BTreeMap" | "HashMap" | "Cell" | "RefCell" => {
            inside(arguments, unsendable)
        }
        _ => None,
    }
}

/// Returns an expression with an error at each field whose type the compiler finds unshareable, and the value `true` otherwise.
pub(super) fn require_shareable(item: &ItemStruct, runtime: &Runtime) -> TokenStream {
    let p = runtime.private();
    let checks = item.fields.iter().map(|field| {
        // A field that is left out can have a type that isn't there.
        let cfgs = field.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
        let (ty, of) = (&field.ty, preserve_spans(&field.ty));
        let check = respan(ty, quote!(#p::is_shareable::<#of>();));
        quote!(#(#cfgs)* #check)
    });
    quote!({ #(#checks)* true })
}
