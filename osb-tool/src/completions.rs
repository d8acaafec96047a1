//! The command `completions`: writes shell completion scripts.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::{Shell, generate};

use super::Failure;

pub(super) fn command(program: &str) -> Command {
    Command::new("completions")
        .about("Write a shell completion script")
        .after_long_help(format!(
            "Installation:\n  \
             bash, in ~/.bashrc:        source <({program} completions bash)\n  \
             elvish, in rc.elv:         eval ({program} completions elvish | slurp)\n  \
             fish, in config.fish:      {program} completions fish | source\n  \
             powershell, in $PROFILE:   {program} completions powershell | Out-String | iex\n  \
             zsh, after compinit:       source <({program} completions zsh)"
        ))
        .arg(Arg::new("shell").value_name("SHELL").help("Shell").required(true).value_parser(value_parser!(Shell)))
}

pub(super) fn write(program: &str, command: Command, matches: &ArgMatches) -> Result<(), Failure> {
    let shell = matches.get_one::<Shell>("shell").copied();
    let shell = shell.ok_or_else(|| Failure::Usage("name a shell, such as bash".to_owned()))?;
    super::print(&script(shell, program, command))
}

fn script(shell: Shell, program: &str, mut command: Command) -> String {
    // In scripts for bash, clap_complete 4.6 calls the commands of a program with a hyphen by two different names.
    let name = if shell == Shell::Bash { program.replace('-', "_") } else { program.to_owned() };
    let mut script = Vec::new();
    generate(shell, &mut command, &name, &mut script);
    let of_program = |line: &str| match line.strip_suffix(&name) {
        Some(start) if shell == Shell::Bash && line.trim_start().starts_with("complete -F ") => {
            format!("{start}{program}\n")
        }
        _ => format!("{line}\n"),
    };
    String::from_utf8_lossy(&script).lines().map(of_program).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_a_hyphen_is_completed_as_any_other() {
        let command = || {
            let copy = Command::new("copy").arg(Arg::new("to").long("to"));
            let records = Command::new("records").disable_help_subcommand(true).subcommand(copy);
            Command::new("my-broker").disable_help_subcommand(true).subcommand(records)
        };
        let bash = script(Shell::Bash, "my-broker", command());
        let (mut commands, mut programs) = (0, 0);
        for line in bash.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("cmd=\"").and_then(|rest| rest.strip_suffix('"'))
                && !name.is_empty()
            {
                let options = format!("\n        {name})\n");
                assert!(bash.contains(&options), "{name} has no options:\n{bash}");
                commands += 1;
            }
            if line.starts_with("complete -F ") {
                assert!(line.ends_with(" my-broker"), "{line}");
                programs += 1;
            }
        }
        assert_eq!((commands, programs), (3, 2), "{bash}");
        for (shell, part) in [(Shell::Zsh, "#compdef my-broker\n"), (Shell::Fish, "complete -c my-broker ")] {
            let script = script(shell, "my-broker", command());
            assert!(script.contains(part), "{script}");
        }
    }
}
