//! A program that ends before it serves.

#![cfg(unix)]

use osb_testing::Process;

#[test]
#[should_panic(expected = "the program has ended without \"\\n  documentation: \": no such directory\n")]
fn a_program_that_does_not_start_fails_the_test_with_its_message() {
    let mut command = Process::command("sh");
    command.args(["-c", "echo no such directory >&2; exit 1"]);
    let _ = Process::start(command);
}
