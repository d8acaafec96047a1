//! A program that ends before it serves.

use osb_testing::Process;

#[test]
#[should_panic(expected = "the program has ended without \"\\n  documentation: \": no such directory\n")]
fn a_program_that_does_not_start_fails_the_test_with_its_message() {
    let _ = Process::start(Process::command("sh").args(["-c", "echo no such directory >&2; exit 1"]));
}

#[test]
fn a_program_that_has_started_is_read_to_its_end() {
    let mut command = Process::command("sh");
    let format = command.get_envs().find(|(name, _)| *name == "OSB_LOG_FORMAT").and_then(|(_, value)| value);
    assert_eq!(format.and_then(std::ffi::OsStr::to_str), Some("text"));
    let script =
        r"printf 'broker at http://127.0.0.1:1\n  state: none\n  documentation: none\n' >&2; echo last >&2; exit 3";
    command.args(["-c", script]);
    let process = Process::start(command);
    assert_eq!(process.url(), "http://127.0.0.1:1");
    let (status, output) = process.end();
    assert_eq!(status.code(), Some(3));
    assert!(output.ends_with("last\n"), "{output}");
}
