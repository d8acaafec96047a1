//! The command `osb new`: writes the project of a broker.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::{ArgMatches, Args, FromArgMatches};

use super::{Failure, print};
use osb_client::guid;

#[derive(Debug, Args)]
#[group(skip)]
struct NewArgs {
    /// Name of the service, the program and the directory: lower-case letters, digits and hyphens
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,

    /// Depend on the crates in this checkout, in place of the published ones
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

/// The files of a project, and their templates. `{name}` and other words in braces are replaced.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("project/Cargo.toml.txt")),
    ("src/main.rs", include_str!("project/main.rs.txt")),
    ("src/tests.rs", include_str!("project/tests.rs.txt")),
    ("Containerfile", include_str!("project/Containerfile.txt")),
    (".dockerignore", include_str!("project/ignored.txt")),
    (".gitignore", include_str!("project/ignored.txt")),
    ("manifest.yml", include_str!("project/manifest.yml.txt")),
    ("kubernetes.yaml", include_str!("project/kubernetes.yaml.txt")),
];

/// The crates of the project that `--path` replaces.
const CRATES: [&str; 3] = ["osb-runtime", "osb-tool", "osb-testing"];

/// Names that Cargo refuses, or that are those of other crates of the project.
const TAKEN: [&str; 12] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "getrandom",
    "incremental",
    "proc-macro",
    "serde-json",
    "std",
    "test",
    "tokio",
];

/// Rust's keywords, which no crate can have as its name.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words that YAML reads as something else than a text, in the manifests; `true` and `false` are keywords.
const OF_YAML: [&str; 7] = ["n", "no", "null", "off", "on", "y", "yes"];

/// Validates the name of a project, which is also one of a crate, a service, an application and a Kubernetes object.
fn name(text: &str) -> Result<String, String> {
    let is_valid = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !text.ends_with('-')
        && text.len() <= 50;
    if !is_valid {
        return Err(
            "write up to 50 lower-case letters, digits and hyphens, beginning with a letter, such as my-db".to_owned()
        );
    }
    if TAKEN.contains(&text) || KEYWORDS.contains(&text) || CRATES.contains(&text) {
        return Err("Rust or a crate of the project has this name; choose another one".to_owned());
    }
    if OF_YAML.contains(&text) {
        return Err(
            "YAML does not read this word as a name, in the manifests of the project; choose another one".to_owned()
        );
    }
    Ok(text.to_owned())
}

/// Builds the command.
pub(super) fn command(program: &str) -> clap::Command {
    NewArgs::augment_args(clap::Command::new("new"))
        .about("Write the project of a new broker")
        .after_help(format!(
            "Writes Cargo.toml, the broker with a test, a Containerfile, and manifests for Cloud Foundry and Kubernetes into \
             the directory NAME, which must not exist.\n\n\
             Example:\n  \
             {program} new my-db && cd my-db && cargo test && cargo run"
        ))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let options = NewArgs::from_arg_matches(matches)?;
    let name = options.name.as_str();
    let mut words = vec![
        ("{name}".to_owned(), name.to_owned()),
        ("{rust}".to_owned(), env!("CARGO_PKG_RUST_VERSION").to_owned()),
        ("{service-id}".to_owned(), guid()),
        ("{plan-id}".to_owned(), guid()),
    ];
    let canonical = |path: &Path| {
        let failure = |error| Failure::Usage(format!("{} cannot be read: {error}", path.display()));
        Ok::<_, Failure>(fs::canonicalize(path).map_err(failure)?.display().to_string())
    };
    // An image is built from the files of the project and of named contexts.
    let (context, copy) = match &options.path {
        Some(checkout) => {
            let path = canonical(checkout)?;
            (format!(" --build-context osb={path:?}"), format!("COPY --from=osb [\".\", {path:?}]\n"))
        }
        None => <(String, String)>::default(),
    };
    words.extend([("{context}".to_owned(), context), ("{copy}".to_owned(), copy)]);
    for of in CRATES {
        let source = match &options.path {
            Some(checkout) => format!("{{ path = {:?} }}", canonical(&checkout.join(of))?),
            None => format!("{:?}", env!("CARGO_PKG_VERSION")),
        };
        words.push((format!("{{{of}}}"), source));
    }
    let fill = |template: &str| {
        words.iter().fold(template.to_owned(), |text, (word, value)| text.replace(word.as_str(), value))
    };
    let root = PathBuf::from(name);
    fs::create_dir(&root).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::Usage(format!("{name} exists already; choose another name")),
        _ => Failure::Broken(format!("the directory {name} cannot be created: {error}")),
    })?;
    for (path, template) in FILES {
        let path = root.join(path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, fill(template)));
        written.map_err(|error| Failure::Broken(format!("{} cannot be written: {error}", path.display())))?;
    }
    print(&format!("the broker {name} is in the directory {name}: cd {name} && cargo test && cargo run\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_suit_rust_and_the_platforms() {
        for valid in ["kv", "my-db", "a1"] {
            assert_eq!(name(valid).as_deref(), Ok(valid));
        }
        for of_yaml in ["y", "yes", "n", "no", "on", "off", "null", "true", "false", "~", "1", "0x1", "1e3"] {
            assert!(name(of_yaml).is_err(), "{of_yaml:?}");
        }
        for invalid in [
            "",
            "My",
            "1a",
            "a-",
            "a_b",
            "../a",
            "a b",
            "fn",
            "struct",
            "self",
            "yield",
            "tokio",
            "osb-tool",
            &"a".repeat(51),
        ] {
            assert!(name(invalid).is_err(), "{invalid:?}");
        }
    }
}
