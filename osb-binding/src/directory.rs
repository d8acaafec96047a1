//! `SERVICE_BINDING_ROOT`: a folder for each binding, a file for each entry.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{Binding, Error, entry::Entry};

pub(crate) const VARIABLE: &str = "SERVICE_BINDING_ROOT";

pub(crate) fn read(root: &Path) -> Result<Vec<Binding>, Error> {
    let folders = children(root)?.into_iter().filter(|(_, path)| path.is_dir());
    folders.map(|(name, path)| binding(name, &path)).collect()
}

fn binding(name: String, folder: &Path) -> Result<Binding, Error> {
    // Kubernetes replaces all entries of a mounted secret at once, by this link. Those of two versions don't belong together,
    // such as a user name and the password of another one.
    let version = || fs::read_link(folder.join("..data")).ok();
    let entries = loop {
        let before = version();
        let entries = entries(folder);
        if version() == before {
            break entries?;
        }
    };
    let text = |name: &str| match entries.get(name) {
        Some(Entry::Text(text)) => Some(text.trim().to_owned()),
        _ => None,
    };
    let (offering, provider) = (text("type"), text("provider"));
    Ok(Binding { names: vec![name], offering, plan: None, provider, tags: Vec::new(), entries })
}

fn entries(folder: &Path) -> Result<BTreeMap<String, Entry>, Error> {
    let mut entries = BTreeMap::new();
    for (entry, path) in children(folder)?.into_iter().filter(|(_, path)| path.is_file()) {
        let bytes = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
        let value = String::from_utf8(bytes).map_or_else(|error| Entry::Bytes(error.into_bytes()), Entry::Text);
        entries.insert(entry, value);
    }
    Ok(entries)
}

/// Returns the names and paths in a folder, apart from hidden ones, in the order of their names.
fn children(folder: &Path) -> Result<Vec<(String, PathBuf)>, Error> {
    let unreadable = |error: io::Error| unreadable(folder, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if let Ok(name) = entry.file_name().into_string()
            && !name.starts_with('.')
        {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::new(format!("the service binding at {} can't be read: {error}", path.display()))
}
