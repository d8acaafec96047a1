//! A broker is opened, or a command is run, by an `async` block, by itself, by a closure that is not `async`, or by a function with another error.

include!("../case.rs");

broker!();

// Mistake: An `async` block stands in place of the closure that opens the broker.
pub fn by_a_block() -> std::process::ExitCode {
    osb_tool::run(async { Ok(Broker { kv: Kv }) })
}

// Mistake: The broker stands in place of the closure that opens it.
pub fn by_itself() -> std::process::ExitCode {
    osb_tool::run(Broker { kv: Kv })
}

// Mistake: The closure that opens the broker is not `async`.
pub fn by_a_closure() -> std::process::ExitCode {
    osb_tool::run(|()| Ok(Broker { kv: Kv }))
}

async fn open((): ()) -> std::io::Result<Broker> {
    Ok(Broker { kv: Kv })
}

// Mistake: The function that opens the broker has another error than `BoxError`.
pub fn by_a_function() -> std::process::ExitCode {
    osb_tool::run(open)
}

// Mistake: The closure that runs a command of the author's is not `async`.
pub fn with_a_command() -> std::process::ExitCode {
    let command = osb_tool::clap::Command::new("sizes");
    osb_tool::Program::new(async |()| Ok(Broker { kv: Kv })).command(command, |_| Ok(())).run()
}
