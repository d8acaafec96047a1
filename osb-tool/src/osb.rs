//! The program `osb`.

use std::process::ExitCode;

use clap::Command;

use super::{
    Failure, check,
    cli::{version, without_values},
    client, client_args, completions, finish, mistakes, new,
};

const NAME: &str = "osb";

/// Runs the program `osb`, which has the commands for brokers that other programs serve: `client`, `check` and `catalog` (with
/// the feature `check`), and `completions`; and `new`, which writes the project of a broker. They work, and exit, as those of [`run`](super::run).
#[must_use = "`main` returns it as the exit code of the program"]
pub fn osb() -> ExitCode {
    #[cfg(not(feature = "check"))]
    if let Some(name @ ("check" | "catalog")) = std::env::args().nth(1).as_deref() {
        return finish(Err(Failure::Usage(format!(
            "this program was built without the command {name}; cargo install osb-tool --features check,tls has it"
        ))));
    }
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return mistakes::refuse(&error, &command(), None),
    };
    finish(match matches.subcommand() {
        Some(("client", options)) => client::run(options),
        #[cfg(feature = "check")]
        Some(("check", options)) => check::run(options),
        #[cfg(feature = "check")]
        Some(("catalog", options)) => super::catalog::run(options),
        Some(("new", options)) => new::run(options),
        Some(("completions", options)) => completions::write(NAME, command(), options),
        _ => Err(Failure::Usage("unknown command".to_owned())),
    })
}

fn command() -> Command {
    without_values(whole())
}

fn whole() -> Command {
    Command::new(NAME)
        .about("Act as a platform for any Open Service Broker API broker")
        .version(version())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .max_term_width(100)
        .subcommand(client_args::command(NAME))
        .subcommands(check(NAME))
        .subcommands(catalog(NAME))
        .subcommand(new::command(NAME))
        .subcommand(completions::command(NAME))
}

#[cfg(feature = "check")]
fn catalog(program: &str) -> [Command; 1] {
    [super::catalog::command(program)]
}

#[cfg(not(feature = "check"))]
fn catalog(_: &str) -> [Command; 0] {
    []
}
