//! The credentials of an application's service bindings.
//!
//! A platform hands a binding to an application in one of two forms: Cloud Foundry and Korifi as JSON in the environment
//! variable `VCAP_SERVICES`, or in the file that `VCAP_SERVICES_FILE_PATH` names, and everything that implements the [Service
//! Binding specification for Kubernetes] in a directory below `SERVICE_BINDING_ROOT`. [`Bindings`] reads both, and
//! [`Binding::credentials`] returns them as any type that serde can read, for example the one that the broker writes:
//!
//! ```
//! # use osb_binding::Bindings;
//! /// Access to a store.
//! #[osb_runtime::credentials]
//! struct StoreAccess {
//!     /// The URL of the store.
//!     uri: String,
//!     /// The port for backups.
//!     backup_port: Option<u16>,
//! }
//!
//! # fn main() -> Result<(), osb_binding::Error> {
//! # let services = r#"{"kv":[{"name":"my-store","label":"kv","tags":["cache"],"credentials":{"uri":"https://kv"}}]}"#;
//! # let bindings = Bindings::from_vcap_services(services)?;
//! # if false {
//! let bindings = Bindings::from_env()?;
//! # }
//! let access: StoreAccess = bindings.offering("kv")?.credentials()?;
//! assert_eq!(access.uri, "https://kv");
//! # Ok(())
//! # }
//! ```
//!
//! A file of a directory holds text, from which numbers, booleans, lists and objects are read as JSON; or, like a trust store,
//! binary data. A `Vec<u8>` is read from a JSON list, as the broker writes it, and otherwise from the bytes of the file;
//! [`Binding::bytes`] and types that serde reads as bytes (`serde_bytes`) always have the bytes of the file. Errors name the
//! bindings that there are, and never contain a value.
//!
//! [Service Binding specification for Kubernetes]: https://servicebinding.io/spec/core/1.1.0/

mod directory;
mod entry;
mod error;
mod vcap;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use error::Error;

use entry::Entry;

/// The service bindings of an application.
#[derive(Debug, Clone, Default)]
pub struct Bindings(Vec<Binding>);

impl Bindings {
    /// Reads the bindings that the platform gave to this process: those of the directory `SERVICE_BINDING_ROOT`, and those of the
    /// file `VCAP_SERVICES_FILE_PATH` or, without it, of `VCAP_SERVICES`. An empty variable counts as not set: compose files and
    /// manifests pass on an unset one as an empty one.
    ///
    /// # Errors
    ///
    /// If none of the variables is set, or if the bindings can't be read.
    pub fn from_env() -> Result<Self, Error> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let root = variable(directory::VARIABLE).map(Self::from_directory).transpose()?;
        let vcap = match (variable(vcap::FILE_VARIABLE), variable(vcap::VARIABLE)) {
            (Some(file), _) => Some(vcap::read_file(Path::new(&file))?),
            (None, Some(json)) => {
                let json = json.to_str().ok_or_else(|| Error::new(format!("{} is not valid UTF-8", vcap::VARIABLE)))?;
                Some(vcap::read(json)?)
            }
            (None, None) => None,
        };
        if root.is_none() && vcap.is_none() {
            return Err(Error::new(format!(
                "this process has no service bindings: none of {}, {} and {} is set",
                vcap::VARIABLE,
                vcap::FILE_VARIABLE,
                directory::VARIABLE
            )));
        }
        let mut all = root.unwrap_or_default();
        all.0.extend(vcap.unwrap_or_default());
        Ok(all)
    }

    /// Reads the JSON of `VCAP_SERVICES`.
    ///
    /// # Errors
    ///
    /// If it doesn't have the form that Cloud Foundry writes.
    pub fn from_vcap_services(json: &str) -> Result<Self, Error> {
        vcap::read(json).map(Self)
    }

    /// Reads a directory with a folder for each binding, and in that a file for each entry.
    ///
    /// # Errors
    ///
    /// If a folder or file can't be read.
    pub fn from_directory(root: impl AsRef<Path>) -> Result<Self, Error> {
        directory::read(root.as_ref()).map(Self)
    }

    /// Returns the binding to an instance of this offering: `label` in `VCAP_SERVICES`, `type` in a directory. If no binding has
    /// it, this is the binding whose credentials have it as the member `type`. So the type that a broker writes with
    /// `#[credentials(type = "...")]` finds the binding on all platforms, even if the offering has another name.
    ///
    /// # Errors
    ///
    /// If there is none, or more than one: choose one by its [`name`](Self::name) then.
    pub fn offering(&self, offering: &str) -> Result<&Binding, Error> {
        let is_offering = |binding: &Binding| binding.offering.as_deref() == Some(offering);
        let has_offering = self.0.iter().any(is_offering);
        self.only(&format!("offering `{offering}`"), |binding| {
            is_offering(binding) || (!has_offering && binding.bytes("type") == Some(offering.as_bytes()))
        })
    }

    /// Returns the binding whose service has this tag. Only `VCAP_SERVICES` has tags.
    ///
    /// # Errors
    ///
    /// If there is none, or more than one.
    pub fn tag(&self, tag: &str) -> Result<&Binding, Error> {
        self.only(&format!("tag `{tag}`"), |binding| binding.tags.iter().any(|own| own == tag))
    }

    /// Returns the binding with this name, which its user chose: `name` in `VCAP_SERVICES`, that of the folder in a
    /// directory. If no binding has it, this is the binding to the instance with this name.
    ///
    /// # Errors
    ///
    /// If there is none, or more than one.
    pub fn name(&self, name: &str) -> Result<&Binding, Error> {
        let has_own_name = self.0.iter().any(|binding| binding.name() == name);
        self.only(&format!("name `{name}`"), |binding| {
            binding.name() == name || (!has_own_name && binding.names.iter().any(|any| any == name))
        })
    }

    /// Goes through all bindings.
    pub fn iter(&self) -> std::slice::Iter<'_, Binding> {
        self.0.iter()
    }

    fn only(&self, wanted: &str, is_wanted: impl Fn(&Binding) -> bool) -> Result<&Binding, Error> {
        let found: Vec<_> = self.0.iter().filter(|binding| is_wanted(binding)).collect();
        match found[..] {
            [one] => Ok(one),
            [] => Err(Error::new(format!("no service binding has the {wanted}; {}", listed(self.0.iter())))),
            _ => {
                let names: BTreeSet<_> = found.iter().map(|binding| binding.name()).collect();
                let advice = if names.len() == found.len() { "; choose one by its name" } else { "" };
                let all = listed(found.into_iter());
                Err(Error::new(format!("more than one service binding has the {wanted}: {all}{advice}")))
            }
        }
    }
}

impl<'a> IntoIterator for &'a Bindings {
    type Item = &'a Binding;
    type IntoIter = std::slice::Iter<'a, Binding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Names bindings, for messages.
fn listed<'a>(bindings: impl Iterator<Item = &'a Binding>) -> String {
    let all: Vec<_> = bindings
        .map(|binding| match &binding.offering {
            Some(offering) => format!("`{}` of offering `{offering}`", binding.name()),
            None => format!("`{}`", binding.name()),
        })
        .collect();
    if all.is_empty() {
        "the application has no service bindings".to_owned()
    } else {
        format!("found {}", all.join(", "))
    }
}

/// One service binding. `Debug` shows the names of its entries and no values.
#[derive(Clone)]
pub struct Binding {
    names: Vec<String>,
    offering: Option<String>,
    plan: Option<String>,
    provider: Option<String>,
    tags: Vec<String>,
    entries: BTreeMap<String, Entry>,
}

impl Binding {
    /// Returns the credentials as a `T`, whose members are those that the broker wrote.
    ///
    /// # Errors
    ///
    /// If a member is missing or has another type. The message names the member, and not its value.
    pub fn credentials<T: DeserializeOwned>(&self) -> Result<T, Error> {
        entry::read(&self.entries).map_err(|mismatch| {
            Error::new(format!("the credentials of the service binding `{}` don't fit: {mismatch}", self.name()))
        })
    }

    /// The contents of an entry: of the file with this name in a directory, or of a string in `VCAP_SERVICES`.
    pub fn bytes(&self, entry: &str) -> Option<&[u8]> {
        match self.entries.get(entry)? {
            Entry::Text(text) | Entry::Json(Value::String(text)) => Some(text.as_bytes()),
            Entry::Bytes(bytes) => Some(bytes),
            Entry::Json(_) => None,
        }
    }

    /// The name that its user chose.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// The name of the offering, `type` in a directory.
    pub fn offering(&self) -> Option<&str> {
        self.offering.as_deref()
    }

    /// The name of the plan, in `VCAP_SERVICES`.
    pub fn plan(&self) -> Option<&str> {
        self.plan.as_deref()
    }

    /// The entry `provider` of a directory.
    pub fn provider(&self) -> Option<&str> {
        self.provider.as_deref()
    }

    /// The tags, in `VCAP_SERVICES`.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }
}

impl std::fmt::Debug for Binding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { names, offering, plan, provider, tags, entries } = self;
        f.debug_struct("Binding")
            .field("names", names)
            .field("offering", offering)
            .field("plan", plan)
            .field("provider", provider)
            .field("tags", tags)
            .field("entries", &entries.keys().collect::<Vec<_>>())
            .finish()
    }
}
