//! Paths from generated code to the runtime: absolute, and independent of the crate's name where the macro is used.

use std::{env, fs, path::Path};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::{
    args::{Arguments, Given, PathName, arguments},
    errors::Errors,
    spans::respan,
};

arguments! {
    /// The argument that every attribute has.
    pub(crate) struct RawRuntime {
        /// `crate = path` | The path of this crate, if another crate re-exports it. | the crate that `Cargo.toml` names, or else that of the prelude
        #[darling(rename = "crate")]
        path: Given<PathName>,
    }
}

/// The path of the runtime crate.
#[derive(Clone)]
pub(crate) struct Runtime {
    path: TokenStream,
    /// The name that the path gets where the author gave it: a wrong one is then one error, that of its import.
    name: Option<Ident>,
}

impl Runtime {
    /// Returns the path that the argument `crate = path` gives, or the name in `Cargo.toml`, or `::osb_runtime`.
    pub(crate) fn take(args: &mut Arguments, errors: &mut Errors) -> Self {
        let path = args.take::<RawRuntime>().path.take(errors);
        path.map_or_else(Self::of_manifest, |PathName(path)| Self::at(quote!(#path)))
    }

    fn at(path: TokenStream) -> Self {
        Self { path, name: Some(Ident::new("__runtime", Span::call_site())) }
    }

    /// Returns the name in `Cargo.toml`. Where that doesn't have it, the prelude of the crate that re-exports it does; without a
    /// `Cargo.toml`, it is `::osb_runtime`.
    pub(crate) fn of_manifest() -> Self {
        let folder = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        let read = |folder: &Path| fs::read_to_string(folder.join("Cargo.toml")).ok();
        let package = read(folder.as_ref()).unwrap_or_default();
        let workspace = || {
            let is_workspace = |manifest: &String| manifest.lines().any(|line| line.trim().starts_with("[workspace"));
            // The package at the root of a workspace has one manifest with it.
            Path::new(&folder).ancestors().filter_map(read).find(is_workspace)
        };
        let own = name_in(&package, Of::Package).map(str::to_owned);
        let name = own.or_else(|| inherited(&package, &workspace()?));
        if name.is_none() && is_of_another_crate(&package) {
            return Self::at(quote!(__osb_runtime_needs_crate_argument));
        }
        let name = format_ident!("{}", name.as_deref().unwrap_or(NAME).replace('-', "_"));
        Self { path: quote!(::#name), name: None }
    }

    /// The crate itself, where it is [imported](Self::imported).
    pub(crate) fn root(&self) -> TokenStream {
        self.name.as_ref().map_or_else(|| self.path.clone(), ToTokens::to_token_stream)
    }

    /// The module for generated code, where it is [imported](Self::imported).
    pub(crate) fn private(&self) -> TokenStream {
        let root = self.root();
        quote!(#root::__private)
    }

    /// The module for generated code, anywhere.
    pub(crate) fn private_anywhere(&self) -> TokenStream {
        let path = &self.path;
        quote!(#path::__private)
    }

    /// Writes a constant around generated code, with the import of a path that is not from `Cargo.toml`. Where code has the places
    /// of the author's, the lint would be about the author.
    pub(crate) fn imported(&self, code: &TokenStream) -> Option<TokenStream> {
        let (path, name) = (&self.path, self.name.as_ref()?);
        let import = respan(path, quote!(use #path as #name;));
        Some(quote!(#[allow(unused_qualifications)] const _: () = { #import #code };))
    }
}

const NAME: &str = "osb-runtime";

/// The owner of a table of dependencies.
#[derive(Clone, Copy)]
enum Of {
    Package,
    /// The members of a workspace, which inherit them.
    Workspace,
}

/// Returns whether a manifest never names the runtime. One that does may have a form that is not understood here.
fn is_of_another_crate(package: &str) -> bool {
    !package.is_empty() && ![NAME, "osb_runtime"].iter().any(|name| package.contains(name))
}

/// Returns the name that a package inherits from its workspace: `my-osb.workspace = true`.
fn inherited(package: &str, workspace: &str) -> Option<String> {
    let name = name_in(workspace, Of::Workspace)?;
    let is_named = dependencies(package, Of::Package).any(|(table, line)| {
        let key = || line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']));
        table == name || table.is_empty() && key()
    });
    is_named.then(|| name.to_owned())
}

/// Returns the name that the runtime has in a manifest: its own, or the one that `package = "osb-runtime"` gives it.
///
/// Hand-written because `proc-macro-crate` would bring an editor of TOML files into the build of each broker.
fn name_in(manifest: &str, of: Of) -> Option<&str> {
    let mut found = None;
    for (table, line) in dependencies(manifest, of) {
        if is_name(table) {
            return Some(NAME);
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, last) = key.trim().split_once('.').unwrap_or((key.trim(), ""));
        if table.is_empty() && is_name(key) {
            return Some(NAME);
        }
        let value: String = value.chars().filter(|c| !c.is_whitespace()).collect();
        let is_runtime = |text: &str| ["\"osb-runtime\"", "'osb-runtime'"].iter().any(|name| text.starts_with(name));
        if !table.is_empty() {
            found = if key == "package" && is_runtime(&value) { Some(table) } else { found };
        } else if last.trim() == "package" && is_runtime(&value)
            || value.starts_with('{') && value.split("package=").skip(1).any(is_runtime)
        {
            found = Some(key);
        }
    }
    found.filter(|name| syn::parse_str::<Ident>(&name.replace('-', "_")).is_ok())
}

/// Returns the lines of the tables of dependencies, each with the name of the dependency whose table it is in: `my-osb` in
/// `[dependencies.my-osb]`, and nothing in `[dependencies]`.
fn dependencies(manifest: &str, of: Of) -> impl Iterator<Item = (&str, &str)> {
    let mut table = None;
    manifest.lines().map(str::trim).filter_map(move |line| {
        if let Some(header) = line.strip_prefix('[') {
            table = header.split(']').next().and_then(|header| dependency(header, of));
        }
        Some((table?, line))
    })
}

/// Returns the name of the dependency that a table is about; nothing for a table of several.
fn dependency(header: &str, of: Of) -> Option<&str> {
    let header = match (of, header.strip_prefix("target.")) {
        (Of::Workspace, _) => header.strip_prefix("workspace.")?,
        (Of::Package, None) => header,
        // A target is a name, or a condition in quotes.
        (Of::Package, Some(target)) => {
            let quoted = ["'.", "\"."].iter().find_map(|end| target.rsplit_once(end));
            quoted.or_else(|| target.split_once('.'))?.1
        }
    };
    let name =
        ["dependencies", "dev-dependencies", "build-dependencies"].iter().find_map(|of| header.strip_prefix(of))?;
    if name.is_empty() { Some(name) } else { name.strip_prefix('.') }
}

fn is_name(key: &str) -> bool {
    ["osb-runtime", "osb_runtime"].contains(&key)
}

#[cfg(test)]
mod tests {
    use super::{NAME, Of, inherited, is_of_another_crate};

    fn name_in(manifest: &str) -> Option<&str> {
        super::name_in(manifest, Of::Package)
    }

    #[test]
    fn a_manifest_renames_the_runtime() {
        for manifest in [
            "[dependencies]\nmy-osb = { package = \"osb-runtime\", version = \"0.1\" }",
            "[dependencies]\nmy-osb = { version = \"0.1\", package='osb-runtime' } # shorter",
            "[dependencies.my-osb]\nversion = \"0.1\"\npackage = \"osb-runtime\"\n[dependencies.tokio]\nversion = \"1\"",
            "[target.'cfg(unix)'.dependencies.my-osb]\npackage = \"osb-runtime\"",
            "[dev-dependencies]\nmy-osb = { package = \"osb-runtime\" }",
            "[dependencies]\nmy-osb.version = \"0.1\"\nmy-osb.package = \"osb-runtime\"",
            "[target.x86_64-unknown-linux-gnu.dependencies]\nmy-osb = { package = \"osb-runtime\" }",
            "[dependencies.my-osb]\npackage = \"osb-runtime\"\n[patch.crates-io]\nosb-runtime = { path = \"..\" }",
            "[dependencies]\nmy-osb = { package = \"osb-runtime\", version = \"0.1\" }\n[features]\nosb-runtime = []",
            "[workspace.dependencies]\nosb-runtime = \"0.1\"\n[dependencies]\nmy-osb = { package = \"osb-runtime\" }",
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
    fn the_prelude_decides_only_where_a_manifest_never_names_the_runtime() {
        for (manifest, is_elsewhere) in [
            ("[dependencies]\nfacade = \"0.1\"", true),
            ("", false),
            ("[package]\nname = \"osb-runtime\"", false),
            ("[dependencies]\n\"osb-runtime\" = \"0.1\"", false),
            ("[dependencies]\nmy-osb = {\n  package = \"osb-runtime\"\n}", false),
        ] {
            assert_eq!(is_of_another_crate(manifest), is_elsewhere, "{manifest}");
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
        let root = format!("[dependencies]\nmy-osb.workspace = true\n{workspace}");
        assert_eq!(inherited(&root, &root).as_deref(), Some("my-osb"));
        assert_eq!(inherited(workspace, workspace), None, "the package doesn't have it");
        assert_eq!(inherited("[dependencies]\nmy-osb-tests.workspace = true", workspace), None);
        assert_eq!(inherited("[dependencies]\nmy-osb.workspace = true", "[workspace]"), None);
    }
}
