//! Dependencies go one way, in the order that ARCHITECTURE.md states.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const ARCHITECTURE: &str = include_str!("../../../ARCHITECTURE.md");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in the workspace")
}

/// The names in the code block that starts with `# title`, in order: the first word of each line.
fn order(title: &str) -> Vec<&'static str> {
    let (_, block) = ARCHITECTURE.split_once(&format!("```text\n# {title}\n")).unwrap_or_else(|| panic!("no {title}"));
    let (block, _) = block.split_once("```").expect("the block ends");
    block.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

/// Panics unless all `used` names are above `name` in the order.
fn assert_above(order: &[&str], name: &str, used: &BTreeSet<String>, place: &str) {
    let position = |name: &str| order.iter().position(|known| *known == name);
    let own = position(name).unwrap_or_else(|| panic!("ARCHITECTURE.md does not list {name}"));
    for other in used {
        let below = position(other).is_some_and(|at| at > own);
        assert!(!below, "{place} uses {other}, but ARCHITECTURE.md lists {other} below {name}");
    }
}

#[test]
fn crates_depend_on_crates_above_them() {
    let order = order("Crates");
    for name in &order {
        let manifest = fs::read_to_string(root().join(name).join("Cargo.toml")).expect("each crate has a manifest");
        let (_, dependencies) = manifest.split_once("\n[dependencies]\n").expect("it has dependencies");
        let section = dependencies.split("\n[").next().unwrap_or_default();
        let used = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let used = used.filter(|used| used.starts_with("osb-")).map(str::to_owned).collect();
        assert_above(&order, name, &used, &format!("{name}/Cargo.toml"));
    }
    let folders = fs::read_dir(root()).expect("the root").map(|entry| entry.expect("an entry").file_name());
    let crates: BTreeSet<_> = folders.filter_map(|name| name.into_string().ok()).collect();
    for name in crates.iter().filter(|name| name.starts_with("osb-")) {
        assert!(order.contains(&name.as_str()), "ARCHITECTURE.md does not list the crate {name}");
    }
}

#[test]
fn each_crate_is_published_with_the_readme_and_the_licenses() {
    for name in order("Crates") {
        let manifest = fs::read_to_string(root().join(name).join("Cargo.toml")).expect("each crate has a manifest");
        assert!(manifest.contains("\nreadme = \"../README.md\"\n"), "{name} has no page");
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(root().join(name).join(license).is_file(), "{name} has no {license}");
        }
    }
}

/// A file that is named by its last folders, such as `lifecycle/worker.rs`, has to be in a crate or in the tests.
#[test]
fn named_files_exist() {
    let sources = order("Crates").into_iter().map(|name| root().join(name).join("src"));
    let known: Vec<_> = sources.chain([root().join("tests")]).flat_map(|folder| files(&folder)).collect();
    let is_source = |name: &&str| Path::new(name).extension().is_some_and(|extension| extension == "rs");
    let named = ARCHITECTURE.split('`').skip(1).step_by(2).filter(is_source);
    let missing: Vec<_> = named.filter(|name| !known.iter().any(|path| path.ends_with(name))).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names files that don't exist: {missing:?}");
}

#[test]
fn modules_of_the_catalog_use_modules_above_them() {
    modules_use_modules_above_them("osb-catalog");
}

#[test]
fn modules_of_the_runtime_use_modules_above_them() {
    modules_use_modules_above_them("osb-runtime");
}

#[test]
fn modules_of_the_macros_use_modules_above_them() {
    modules_use_modules_above_them("osb-macros");
}

fn modules_use_modules_above_them(name: &str) {
    let (order, source) = (order(&format!("Modules of {name}")), root().join(name).join("src"));
    let mut seen = BTreeSet::new();
    for path in files(&source) {
        let relative = path.strip_prefix(&source).expect("it is below");
        let module = relative.components().next().expect("it has a name").as_os_str().to_string_lossy();
        let module = module.trim_end_matches(".rs").to_owned();
        if matches!(module.as_str(), "lib" | "private" | "prelude") {
            continue; // They only re-export.
        }
        let text = fs::read_to_string(&path).expect("it is text");
        assert_above(&order, &module, &used_modules(&text), &path.display().to_string());
        seen.insert(module);
    }
    assert_eq!(seen, order.iter().map(|name| (*name).to_owned()).collect(), "ARCHITECTURE.md lists each module once");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).expect("the folder is read").map(|entry| entry.expect("an entry").path());
    let files = paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The modules of the crate that a file names: in `crate::{…}`, or as `crate::module`. Comments and tests don't count.
fn used_modules(text: &str) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().take_while(|line| *line != "#[cfg(test)]").collect();
    let code = code.into_iter().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut used = BTreeSet::new();
    for (start, _) in code.match_indices("crate::") {
        let rest = &code[start + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => used.extend(heads(group)),
            None => used.extend(word(rest)),
        }
    }
    used
}

/// The first word of each item of a group, up to its closing brace.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut heads, mut item) = (0, Vec::new(), String::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.extend(word(&std::mem::take(&mut item))),
            _ => item.push(c),
        }
    }
    heads.extend(word(&item));
    heads
}

fn word(text: &str) -> Option<String> {
    let word: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    Some(word).filter(|word| !word.is_empty())
}

#[test]
fn imports_are_found_however_they_are_written() {
    let text = "use crate::{\n    a::{self, B},\n    c,\n};\n// crate::d\nfn f() -> crate::e::F {}\n#[cfg(test)]\nuse crate::g;";
    assert_eq!(used_modules(text).into_iter().collect::<Vec<_>>(), ["a", "c", "e"]);
}

/// An item that is not listed there is public without documentation.
#[test]
fn the_page_of_schema_lists_all_public_items() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("it is readable");
    let exports = |source: &str, from: &str| -> BTreeSet<String> {
        let found = source.split(from).skip(1).filter_map(|rest| rest.split(';').next());
        let names = found.flat_map(|found| found.rsplit("::").next().unwrap_or_default().split(['{', '}', ',']));
        names.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let catalog = read("osb-catalog/src/schema/mod.rs");
    let (public, _) = catalog.split_once("#[doc(hidden)]").expect("hidden items follow");
    assert_eq!(
        exports(&read("osb-runtime/src/lib.rs"), "pub use osb_catalog::schema::{"),
        exports(public, "\npub use ")
    );
}
