//! Compares the catalog with a golden file, so that every change of it shows in a review.

use std::{env, fmt::Write, fs, path::Path};

use osb_runtime::{catalog::EffectiveCatalog, service::Broker};

/// The maximum number of lines of the difference in a message.
const SHOWN: usize = 60;

/// Asserts that the file contains the catalog of `B`, indented. The path is relative to the directory of the crate's
/// `Cargo.toml`. If the environment variable `OSB_UPDATE` is `1`, the file is written instead.
///
/// ```no_run
/// # use osb_runtime::service::Broker;
/// # use osb_testing::assert_catalog;
/// # fn the_catalog_is_unchanged<Kv: Broker>() {
/// assert_catalog::<Kv>("catalog.json");
/// # }
/// ```
///
/// # Panics
///
/// If the file is missing or differs.
#[track_caller]
pub fn assert_catalog<B: Broker>(path: impl AsRef<Path>) {
    let catalog = match osb_docs::catalog::<B>(&EffectiveCatalog::unchanged(B::OFFERINGS)) {
        Ok(catalog) => catalog,
        Err(error) => panic!("the catalog cannot be built: {error}"),
    };
    let update = env::var("OSB_UPDATE").is_ok_and(|value| !value.is_empty() && value != "0");
    // Cargo sets the variable for tests, and usually runs them in that directory anyway.
    let path =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| path.as_ref().into(), |dir| Path::new(&dir).join(&path));
    if let Err(message) = compare(&path, &catalog, update) {
        panic!("{message}");
    }
}

fn compare(path: &Path, catalog: &str, update: bool) -> Result<(), String> {
    let shown = path.display();
    let expected = match fs::read_to_string(path) {
        Ok(text) => Some(text.replace("\r\n", "\n")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("{shown} cannot be read: {error}")),
    };
    if expected.as_deref() == Some(catalog) {
        return Ok(());
    }
    if update {
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        return folder
            .and_then(|()| fs::write(path, catalog))
            .map_err(|error| format!("{shown} cannot be written: {error}"));
    }
    Err(match expected {
        None => format!("{shown} does not exist\n  help: `OSB_UPDATE=1 cargo test` creates it"),
        Some(expected) => format!(
            "the catalog differs from {shown}\n\n{}\n  (- in the file, + in the program)\n  \
             help: if the change is intended, `OSB_UPDATE=1 cargo test` updates the file",
            difference(&expected, catalog)
        ),
    })
}

/// Returns the differing lines with up to three lines of context.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - same_start;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let middle = (&old[same_start..old.len() - same_end], &new[same_start..new.len() - same_end]);

    let mut lines: Vec<(char, &str)> = old[..same_start].iter().map(|line| (' ', *line)).collect();
    lines.extend(edits(middle.0, middle.1));
    lines.extend(old[old.len() - same_end..].iter().map(|line| (' ', *line)));

    let near = |i: usize| lines[i.saturating_sub(3)..lines.len().min(i + 4)].iter().any(|(mark, _)| *mark != ' ');
    let (mut out, mut shown, mut last) = (String::new(), 0, None);
    for i in (0..lines.len()).filter(|i| near(*i)) {
        if shown == SHOWN {
            return out + "  ... and more\n";
        }
        if last.is_some_and(|last| last + 1 != i) {
            out += "  ...\n";
        }
        _ = writeln!(out, "{} {}", lines[i].0, lines[i].1);
        (last, shown) = (Some(i), shown + 1);
    }
    out
}

/// Returns a minimal list of removed (`-`), added (`+`) and common lines.
fn edits<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let removed = |lines: &[&'a str]| lines.iter().map(|line| ('-', *line)).collect::<Vec<_>>();
    let added = |lines: &[&'a str]| lines.iter().map(|line| ('+', *line)).collect::<Vec<_>>();
    // The table below has quadratic size; for so many differing lines, a minimal list is not worth it.
    if old.len().saturating_mul(new.len()) > 4_000_000 {
        return [removed(old), added(new)].concat();
    }
    // common[i][j] is the length of the longest common subsequence of old[i..] and new[j..].
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] =
                if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut edits) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            edits.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if common[i + 1][j] >= common[i][j + 1] {
            edits.push(('-', old[i]));
            i += 1;
        } else {
            edits.push(('+', new[j]));
            j += 1;
        }
    }
    [edits, removed(&old[i..]), added(&new[j..])].concat()
}

#[cfg(test)]
mod tests {
    use super::{compare, difference};

    #[test]
    fn a_difference_is_shown_with_its_context() {
        let lines = |changed: &'static str| {
            (0..20).map(move |i| if i == 10 { format!("{changed}\n") } else { format!("{i}\n") })
        };
        let (old, new): (String, String) = (lines("old").collect(), lines("new").chain(["20\n".to_owned()]).collect());
        let expected = "  7\n  8\n  9\n- old\n+ new\n  11\n  12\n  13\n  ...\n  17\n  18\n  19\n+ 20\n";
        assert_eq!(difference(&old, &new), expected);
        assert_eq!(difference("", "a\n"), "+ a\n");
        assert_eq!(difference("a\nb\n", "b\n"), "- a\n  b\n");
    }

    #[test]
    fn the_file_is_written_only_on_demand() {
        let directory = std::env::temp_dir().join(format!("osb-golden-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let path = directory.join("catalog.json");
        assert!(compare(&path, "{}\n", false).expect_err("missing").contains("OSB_UPDATE=1"));
        assert!(!path.exists());
        compare(&path, "{}\n", true).expect("written");
        compare(&path, "{}\n", false).expect("the same");
        std::fs::write(&path, "{}\r\n").expect("written");
        compare(&path, "{}\n", false).expect("equal except for line endings");
        let error = compare(&path, "[]\n", false).expect_err("different");
        assert!(error.contains("- {}\n+ []\n"), "{error}");
        std::fs::remove_dir_all(&directory).expect("removed");
    }
}
