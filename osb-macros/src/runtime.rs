//! Paths from generated code to the runtime: absolute, and independent of the crate's name where the macro is used.

use std::{env, fs, path::Path};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    args::{Arguments, Given, PathName, arguments},
    errors::Errors,
};

arguments! {
    /// The argument that every attribute has.
    pub(crate) struct RawRuntime {
        /// `crate = path` | The path of this crate, if another crate re-exports it. | its name in `Cargo.toml`
        #[darling(rename = "crate")]
        path: Given<PathName>,
    }
}

/// The path of the runtime crate.
#[derive(Clone)]
pub(crate) struct Runtime(TokenStream);

impl Runtime {
    /// Returns the path that the argument `crate = path` gives, or the name in `Cargo.toml`, or `::osb_runtime`.
    pub(crate) fn take(args: &mut Arguments, errors: &mut Errors) -> Self {
        let path = args.take::<RawRuntime>().path.take(errors);
        path.map_or_else(Self::of_manifest, |PathName(path)| Self(quote!(#path)))
    }

    /// Returns the name in `Cargo.toml`, or `::osb_runtime`.
    pub(crate) fn of_manifest() -> Self {
        let folder = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        let read = |folder: &Path| fs::read_to_string(folder.join("Cargo.toml")).ok();
        let package = read(folder.as_ref()).unwrap_or_default();
        let workspace = || {
            let is_workspace = |manifest: &String| manifest.lines().any(|line| line.trim().starts_with("[workspace"));
            Path::new(&folder).ancestors().skip(1).filter_map(read).find(is_workspace)
        };
        let name = name_in(&package).map(str::to_owned).or_else(|| inherited(&package, &workspace()?));
        let name = format_ident!("{}", name.as_deref().unwrap_or(NAME).replace('-', "_"));
        Self(quote!(::#name))
    }

    /// The crate itself.
    pub(crate) fn root(&self) -> &TokenStream {
        &self.0
    }

    /// The module for generated code.
    pub(crate) fn private(&self) -> TokenStream {
        let root = &self.0;
        quote!(#root::__private)
    }
}

const NAME: &str = "osb-runtime";

/// Returns the name that a package inherits from its workspace: `my-osb.workspace = true`.
fn inherited(package: &str, workspace: &str) -> Option<String> {
    let name = name_in(workspace)?;
    let is_named = package.lines().map(str::trim).any(|line| {
        let key = line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']));
        key || line.strip_suffix(']').is_some_and(|header| header.ends_with(&format!("dependencies.{name}")))
    });
    is_named.then(|| name.to_owned())
}

/// Returns the name that the runtime has in a manifest: its own, or the one that `package = "osb-runtime"` gives it.
///
/// Hand-written because `proc-macro-crate` would bring an editor of TOML files into the build of each broker.
fn name_in(manifest: &str) -> Option<&str> {
    let mut found = None;
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.split(']').next().and_then(|header| header.rsplit("dependencies.").next()).unwrap_or("");
            if is_name(section) {
                return Some(NAME);
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, last) = key.trim().split_once('.').unwrap_or((key.trim(), ""));
        if is_name(key) {
            return Some(NAME);
        }
        let value: String = value.chars().filter(|c| !c.is_whitespace()).collect();
        let is_runtime = |text: &str| ["\"osb-runtime\"", "'osb-runtime'"].iter().any(|name| text.starts_with(name));
        if key == "package" && is_runtime(&value) {
            found = Some(section);
        } else if last.trim() == "package" && is_runtime(&value)
            || value.starts_with('{') && value.split("package=").skip(1).any(is_runtime)
        {
            found = Some(key);
        }
    }
    found.filter(|name| syn::parse_str::<syn::Ident>(&name.replace('-', "_")).is_ok())
}

fn is_name(key: &str) -> bool {
    ["osb-runtime", "osb_runtime"].contains(&key)
}

#[cfg(test)]
mod tests {
    use super::{NAME, inherited, name_in};

    #[test]
    fn a_manifest_renames_the_runtime() {
        for manifest in [
            "[dependencies]\nmy-osb = { package = \"osb-runtime\", version = \"0.1\" }",
            "[dependencies]\nmy-osb = { version = \"0.1\", package='osb-runtime' } # shorter",
            "[dependencies.my-osb]\nversion = \"0.1\"\npackage = \"osb-runtime\"\n[dependencies.tokio]\nversion = \"1\"",
            "[target.'cfg(unix)'.dependencies.my-osb]\npackage = \"osb-runtime\"",
            "[dependencies]\nmy-osb.version = \"0.1\"\nmy-osb.package = \"osb-runtime\"",
        ] {
            assert_eq!(name_in(manifest), Some("my-osb"), "{manifest}");
        }
        for manifest in [
            "[package]\nname = \"osb-runtime\"",
            "[dependencies]\nfacade = \"0.1\"",
            "[dependencies]\nosb = { package = \"osb-runtime-extra\", version = \"0.1\" }",
            "[dependencies]\n# osb = { package = \"osb-runtime\" }",
        ] {
            assert_eq!(name_in(manifest), None, "{manifest}");
        }
        for manifest in [
            "[dependencies]\nosb-runtime = \"0.1\"",
            "[dependencies]\nosb-runtime.workspace = true\n[dev-dependencies]\nold = { package = \"osb-runtime\", version = \"0.0\" }",
            "[dependencies.osb-runtime]\nversion = \"0.1\"\n[dev-dependencies.old]\npackage = \"osb-runtime\"",
        ] {
            assert_eq!(name_in(manifest), Some(NAME), "{manifest}");
        }
    }

    #[test]
    fn a_workspace_renames_the_runtime() {
        let workspace =
            "[workspace]\n[workspace.dependencies]\nmy-osb = { package = \"osb-runtime\", version = \"0.1\" }";
        for package in [
            "[dependencies]\nmy-osb.workspace = true",
            "[dependencies]\nmy-osb = { workspace = true, features = [\"tls\"] }",
            "[dependencies.my-osb]\nworkspace = true",
        ] {
            assert_eq!(name_in(package), None, "{package}");
            assert_eq!(inherited(package, workspace).as_deref(), Some("my-osb"), "{package}");
        }
        assert_eq!(inherited("[dependencies]\nmy-osb-tests.workspace = true", workspace), None);
        assert_eq!(inherited("[dependencies]\nmy-osb.workspace = true", "[workspace]"), None);
    }
}
