//! A program whose surroundings lack something: few file descriptors, or a standard error that can't be written to.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::world::{Serving, bare, get, home, shelf, within};

/// Otherwise, clients that keep their connections open would shut out all others, probes among them.
#[test]
fn without_file_descriptors_idle_connections_give_way() {
    let home = home();
    let command = shelf(&home, &["--store", "memory", "--head-timeout", "10m"]);
    let serving = Serving::of(within(&["sh", "-c", "ulimit -n 40; exec \"$@\"", "sh"], &command));
    let at = serving.url.strip_prefix("http://").expect("http");
    let began = Instant::now();
    let mut idle = Vec::new();
    for _ in 0..60 {
        let mut client = TcpStream::connect(at).expect("it listens");
        client.set_read_timeout(Some(Duration::from_mins(1))).expect("set");
        write!(client, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").expect("sent");
        let mut status = [0; 12];
        client.read_exact(&mut status).expect("each is answered");
        assert_eq!(&status, b"HTTP/1.1 200");
        idle.push(client);
    }
    assert_eq!(get(at, "/readyz", "").0, 200);
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_of_file_descriptors_is_raised_as_far_as_allowed() {
    const WARNING: &str = "connections can use up the file descriptors: allow the process 556";
    for (limit, expected, warns) in [("-S -n 40", "556", false), ("-n 400", "400", true)] {
        let home = home();
        let command = shelf(&home, &["--store", "memory", "--max-connections", "300"]);
        let serving = Serving::of(within(&["sh", "-c", &format!("ulimit {limit}; exec \"$@\""), "sh"], &command));
        let limits = fs::read_to_string(format!("/proc/{}/limits", serving.child.id())).expect("its limits");
        let files = limits.lines().find(|line| line.starts_with("Max open files")).expect("one of them");
        assert_eq!(files.split_whitespace().nth(3), Some(expected), "{files}");
        assert_eq!(serving.banner.contains(WARNING), warns, "{}", serving.banner);
    }
}

/// As after `serve 2>&1 | tee log`, when an interrupt ends `tee` too.
#[test]
fn a_closed_standard_error_does_not_prevent_the_shutdown() {
    let home = home();
    let (mut serving, lines) = Serving::piped(shelf(&home, &[]));
    drop(lines);
    serving.terminate();
    assert_eq!(serving.ended(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_does_not_change_the_exit_code() {
    let home = home();
    let mut command = bare(&home, &["reseal"]);
    command.stderr(fs::File::options().write(true).open("/dev/full").expect("it is a device"));
    assert_eq!(command.status().expect("the program runs").code(), Some(2));
}
