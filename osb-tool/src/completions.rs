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

pub(super) fn write(program: &str, mut command: Command, matches: &ArgMatches) -> Result<(), Failure> {
    let shell = matches.get_one::<Shell>("shell").copied();
    let shell = shell.ok_or_else(|| Failure::Usage("name a shell, such as bash".to_owned()))?;
    let mut script = Vec::new();
    generate(shell, &mut command, program, &mut script);
    super::print(&String::from_utf8_lossy(&script))
}
