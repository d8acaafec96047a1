//! A configuration file with all settings, as comments.

use std::fmt::Write;

use clap::{Arg, ArgAction, Command};

use super::{settings, takes_value};

/// Writes a file with the description and the default of every setting.
pub(crate) fn template(program: &str, serve: &Command) -> String {
    let mut out = format!(
        "# Settings of {program}. The command line and the environment variables listed here override this file. Pass the file\n\
         # to {program} with `--config FILE` or OSB_CONFIG.\n"
    );
    let named: Vec<(&str, &Arg)> = settings(serve).filter_map(|arg| Some((arg.get_long()?, arg))).collect();
    for (heading, settings) in by_heading(&named) {
        _ = write!(out, "\n## {heading}\n");
        for (name, arg) in settings {
            _ = write!(out, "\n{}", comment(arg));
            _ = writeln!(out, "# {name} = {}", example(arg));
        }
    }
    out
}

/// Returns the headings in the order of their first settings, with all their settings; the file of a secret follows the secret.
fn by_heading<'a>(named: &[(&'a str, &'a Arg)]) -> Vec<(&'a str, Vec<(&'a str, &'a Arg)>)> {
    let secret_of = |name: &'a str| {
        let secret = name.strip_suffix("-file")?;
        named.iter().any(|(other, _)| *other == secret).then_some(secret)
    };
    let mut groups: Vec<(&str, Vec<(&str, &Arg)>)> = Vec::new();
    for &(name, arg) in named {
        let heading = arg.get_help_heading().unwrap_or("Options");
        let index = groups.iter().position(|(other, _)| *other == heading).unwrap_or_else(|| {
            groups.push((heading, Vec::new()));
            groups.len() - 1
        });
        let group = &mut groups[index].1;
        let secret = secret_of(name).and_then(|secret| group.iter().position(|(other, _)| *other == secret));
        group.insert(secret.map_or(group.len(), |at| at + 1), (name, arg));
    }
    groups
}

/// Formats an option's help as comment lines.
fn comment(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    for paragraph in help.split("\n\n") {
        let begin = words.len();
        words.extend(paragraph.split_whitespace().map(str::to_owned));
        if let Some(first) = words.get_mut(begin).filter(|_| begin > 0) {
            first.insert(0, '\n');
        }
    }
    for value in arg.get_possible_values().iter().filter(|_| takes_value(arg)) {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        words.push(format!("\n  {}: {help}", value.get_name()));
    }
    if let Some(variable) = arg.get_env() {
        words.push(format!("\n[env: {}]", variable.to_string_lossy()));
    }
    let (mut out, mut width) = (String::from("#"), 1);
    for word in words {
        if word.starts_with('\n') || width + 1 + word.len() > 110 {
            out += "\n#";
            width = 1;
        }
        let word = word.trim_start_matches('\n');
        out += " ";
        out += word;
        width += 1 + word.len();
    }
    out + "\n"
}

/// Returns the default as TOML, or a placeholder.
pub(super) fn example(arg: &Arg) -> String {
    match arg.get_action() {
        ArgAction::Count => return "0".to_owned(),
        action if !action.takes_values() => return "false".to_owned(),
        _ => {}
    }
    let quoted = |text: &str| match text.parse::<f64>() {
        Ok(_) => text.to_owned(),
        // A string of JSON is one of TOML.
        Err(_) => serde_json::Value::from(text).to_string(),
    };
    let names = arg.get_value_names().unwrap_or_default();
    let value = match arg.get_default_values() {
        [] => quoted(names.first().map_or("", clap::builder::Str::as_str)),
        [default, ..] => quoted(&default.to_string_lossy()),
    };
    if matches!(arg.get_action(), ArgAction::Append) { format!("[{value}]") } else { value }
}
