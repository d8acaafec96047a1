//! The command `docs`: writes the documentation of the services.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command, ValueEnum, value_parser};

use super::{Failure, print};
use osb_runtime::catalog::Offering;

/// The format of the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Markdown, for a repository or a site generator
    Markdown,
    /// One self-contained page
    Html,
    /// OpenAPI 3.1 document of the broker's API, with the parameters of its plans
    Openapi,
}

pub(super) const ABOUT: &str = "Write the documentation of the services";

pub(super) fn command() -> Command {
    let format = Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(value_parser!(Format))
        .help("Format [default: by the extension of PATH, or markdown]");
    let out = Arg::new("out")
        .long("out")
        .value_name("PATH")
        .value_parser(value_parser!(PathBuf))
        .help("File if it ends in .md, .html or .json, otherwise a directory [default: standard output]");
    Command::new("docs").args([format, out])
}

/// Writes the documentation to standard output, a file or a directory.
pub(super) fn write(offerings: &[&Offering], options: &ArgMatches, program: &str) -> Result<(), Failure> {
    let out = options.get_one::<PathBuf>("out");
    let named = out.and_then(|path| Format::of_file(path));
    let format = options.get_one("format").copied().or(named).unwrap_or(Format::Markdown);
    let content = match format {
        Format::Markdown => osb_docs::markdown_of(offerings),
        Format::Html => osb_docs::html_of(offerings),
        Format::Openapi => osb_docs::openapi_of(offerings),
    };
    let Some(out) = out else { return print(&content) };
    let file = match named {
        Some(_) => out.clone(),
        None if out.is_file() => {
            let out = out.display();
            let remedy = "name a directory, or a file that ends in .md, .html or .json";
            return Err(Failure::Usage(format!("{out} is a file, and its name has no known format: {remedy}")));
        }
        None => out.join(format.file_name(program)),
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, content));
    written.map_err(|error| Failure::Broken(format!("{} cannot be written: {error}", file.display())))?;
    print(&format!("{} written\n", file.display()))
}

impl Format {
    /// Returns the format of a file by its extension; `None` for a directory.
    fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            _ if path.is_dir() => None,
            "md" => Some(Self::Markdown),
            "html" => Some(Self::Html),
            "json" => Some(Self::Openapi),
            _ => None,
        }
    }

    fn file_name(self, program: &str) -> String {
        match self {
            Self::Markdown => format!("{program}.md"),
            Self::Html => "index.html".to_owned(),
            Self::Openapi => "openapi.json".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Format;

    #[test]
    fn the_extension_determines_the_format() {
        for (path, format) in [
            ("services.md", Some(Format::Markdown)),
            ("a.b/page.html", Some(Format::Html)),
            ("api.json", Some(Format::Openapi)),
            ("site", None),
            ("site.d", None),
            ("site/", None),
            (".", None),
        ] {
            assert_eq!(Format::of_file(Path::new(path)), format, "{path}");
        }
    }
}
