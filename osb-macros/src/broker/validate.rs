//! The rules for the arguments and fields of one `#[broker]`.
//!
//! A service is recognized twice by the tokens of its type: after an alias, the runtime's checks across services find
//! that names and ids are the same.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{GenericArgument, Generics, Index, ItemStruct, Member, PathArguments, PathSegment, Type};

use super::parse::{LintList, LockFile, RawBroker};
use crate::{
    args::{Flag, as_written, nearest},
    errors::{Errors, Report},
    item::with_bounds,
    runtime::Runtime,
};

/// The opt-in lints, each with the function of the runtime that decides it: each would fire on nearly every broker.
const LINTS: &[(&str, &str)] = &[
    ("lowercase_names", "lint_lowercase_names"),
    ("one_way_changes", "lint_one_way_changes"),
    ("required_create_parameters", "lint_required_parameters"),
];

/// A broker without mistakes.
pub(super) struct Broker {
    pub(super) runtime: Runtime,
    pub(super) ident: Ident,
    pub(super) dynamic: bool,
    pub(super) lock: Option<LockFile>,
    /// The functions of the lints, each with the name that the author wrote.
    pub(super) lints: Vec<(Ident, TokenStream)>,
    pub(super) services: Vec<(Member, Type)>,
}

/// The parts of a broker with mistakes that its uses name.
pub(super) struct Fallback {
    pub(super) runtime: Runtime,
    pub(super) ident: Ident,
    pub(super) generics: Generics,
}

impl Fallback {
    pub(super) fn of(item: &ItemStruct, runtime: Runtime) -> Self {
        Self { runtime, ident: item.ident.clone(), generics: with_bounds(&item.generics) }
    }
}

/// Validates the arguments. `report` has the mistakes of earlier stages, too: each of them makes the broker a fallback.
pub(super) fn validate(
    raw: RawBroker,
    item: &ItemStruct,
    runtime: Runtime,
    report: &mut Report,
) -> Result<Broker, Box<Fallback>> {
    let errors = &mut report.errors;
    let dynamic = raw.dynamic.take(errors).is_some_and(|Flag(set)| set);
    let lock = raw.lock.take(errors);
    let lints = raw.deny.take(errors).map(|list| lints(list, errors)).unwrap_or_default();
    let services = services(item, errors);
    if errors.is_empty() {
        Ok(Broker { runtime, ident: item.ident.clone(), dynamic, lock, lints, services })
    } else {
        Err(Box::new(Fallback::of(item, runtime)))
    }
}

fn lints(LintList(list): LintList, errors: &mut Errors) -> Vec<(Ident, TokenStream)> {
    let mut functions = Vec::new();
    for written in list {
        let name = syn::parse2::<Ident>(written.clone()).map(|name| name.to_string()).ok();
        match LINTS.iter().find(|(lint, _)| Some(*lint) == name.as_deref()) {
            Some((_, function)) => functions.push((Ident::new(function, Span::call_site()), written)),
            None => {
                if let [TokenTree::Ident(_), next @ TokenTree::Ident(_), ..] = &*Vec::from_iter(written.clone()) {
                    errors.help(next, "expected `,`", format_args!("write a comma before `{next}`"));
                    continue;
                }
                let known = LINTS.iter().map(|(lint, _)| format!("`{lint}`")).collect::<Vec<_>>().join(", ");
                let name = as_written(&written);
                let help = match nearest(&name, LINTS.iter().map(|(lint, _)| *lint)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there is {known}"),
                };
                errors.help(&written, format_args!("there is no lint `{name}`"), help);
            }
        }
    }
    functions
}

/// Returns the fields, each of which is a service; each service is there once.
fn services(item: &ItemStruct, errors: &mut Errors) -> Vec<(Member, Type)> {
    let mut services: Vec<(Member, Type)> = Vec::new();
    for (i, field) in item.fields.iter().enumerate() {
        if let Some(cfg) = field.attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
            errors.help(
                cfg,
                "a service cannot be conditional: the catalog is one constant",
                "put `#[cfg]` on two broker structs, each with its services",
            );
        }
        if services.iter().any(|(_, other)| *other == field.ty) {
            errors.help(
                &field.ty,
                "the broker already has this service",
                "a service is offered once: use plans and parameters for variants",
            );
        }
        let member = field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(i)), Member::Named);
        services.push((member, field.ty.clone()));
    }
    if services.is_empty() && errors.is_empty() {
        errors.help(
            &item.ident,
            format_args!("broker `{}` offers no service", item.ident),
            "add a field for each service; Cloud Foundry refuses an empty catalog",
        );
    }
    services
}

/// Returns the type inside pointers, containers and locks.
fn unwrapped(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => unwrapped(&reference.elem),
        Type::Path(path) => match path.path.segments.last() {
            Some(PathSegment { ident, arguments: PathArguments::AngleBracketed(list) })
                if WRAPPERS.iter().any(|name| ident == name) =>
            {
                match list.args.first() {
                    Some(GenericArgument::Type(inner)) => unwrapped(inner),
                    _ => ty,
                }
            }
            _ => ty,
        },
        _ => ty,
    }
}

const WRAPPERS: [&str; 9] = ["Arc", "Rc", "Box", "Option", "Vec", "Mutex", "RwLock", "RefCell", "Cell"];

/// Reports trait objects, the broker itself and containers of services, and replaces them by types that have the error: `Service`
/// can't be an object, a broker in itself has no size, and a value may be the service already, which the compiler would report,
/// too. Returns whether there are any.
pub(super) fn refuse_types(item: &mut ItemStruct) -> bool {
    let mut is_changed = false;
    for field in &mut item.fields {
        let message = match unwrapped(&field.ty) {
            Type::TraitObject(_) => Some("a field of a broker is one service, whose plans the compiler knows"),
            Type::Path(path) if path.path.is_ident(&item.ident) => {
                Some("a field of a broker is a service, not the broker itself")
            }
            _ => None,
        };
        let mut errors = Errors::default();
        let unknown = if let Some(message) = message {
            errors.help(&field.ty, message, "write a field for each service, with its own type");
            errors.take_as_type()
        } else {
            wrapper(&field.ty, &mut errors);
            errors.take_beside(&field.ty)
        };
        if let Some(unknown) = unknown {
            field.ty = Type::Verbatim(unknown);
            is_changed = true;
        }
    }
    is_changed
}

/// Reports a container of services.
fn wrapper(ty: &Type, errors: &mut Errors) {
    const WRAPPER: &str = "a field of a broker is a service itself, not a wrapper of one";
    let service = as_written(unwrapped(ty));
    let path = match ty {
        Type::Path(path) => path,
        Type::Reference(_) => {
            let help = format_args!("write `{service}`: the runtime shares the broker, and clones no service");
            return errors.help(ty, WRAPPER, help);
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            return errors.help(ty, WRAPPER, "make each service a field of its own");
        }
        _ => return,
    };
    let Some(segment) = path.path.segments.last() else { return };
    let PathArguments::AngleBracketed(_) = &segment.arguments else { return };
    let help = match &*segment.ident.to_string() {
        "Arc" | "Rc" | "Box" => format!("write `{service}`: the runtime shares the broker, and clones no service"),
        "Option" => format!("write `{service}`; for a service that only some deployments offer, write two brokers"),
        "Vec" => format!("write `{service}`, and use plans and parameters for variants"),
        "Mutex" | "RwLock" | "RefCell" | "Cell" => {
            format!("write `{service}`, and put the lock into a field of the service")
        }
        _ => return,
    };
    errors.help(ty, WRAPPER, help);
}
