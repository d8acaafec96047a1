//! Starts a throw-away PostgreSQL to try things out with. It ends with this program.

use std::process::ExitCode;

use osb_throwaway_postgres::Server;

const HELP: &str = "Usage: osb-throwaway-postgres

Starts a PostgreSQL with an empty database, and prints a line for the shell with its URL. It ends with this program, and
leaves no files.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["-h" | "--help"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("error: unexpected arguments: {}\n\n{HELP}", arguments.join(" "));
            return ExitCode::from(2);
        }
    }
    let server = Server::start();
    println!("export POSTGRES_URL={}", server.url());
    loop {
        std::thread::park();
    }
}
