//! The additions of the builder to a program.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
};

use crate::world::{Serving, bare, fails, home, home_with, prints, ran, shelf, succeeds, until};

#[tokio::test]
async fn hooks_audit_settings_and_metrics_of_the_author_are_used() {
    let home = home();
    let serving = Serving::start(&home, &["--store", "memory"]);
    assert_eq!(serving.provision("one").await.status, 201);
    fs::write(home.path().join("full"), "").expect("the file is written");
    let refused = serving.provision("two").await;
    assert_eq!((refused.status.as_u16(), refused.description().as_deref()), (400, Some("All shelves are taken.")));
    let journal = fs::read_to_string(home.path().join("journal")).expect("the audit writes it");
    assert!(journal.starts_with("provision began\nprovision succeeded\n"), "{journal}");
    let (_, metrics) = serving.get("/metrics", "");
    assert!(metrics.contains("shelf_made_total 1\n") && metrics.contains("osb_requests_total{"), "{metrics}");
    let version = concat!("osb_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\",runtime=\"");
    assert!(metrics.contains(version), "{metrics}");
    let large = osb_client::Call::provision("three", &"x".repeat(4000), "y");
    assert_eq!(serving.send(&large).await.status, 413);
}

#[test]
fn a_readiness_check_of_the_author_decides_too() {
    let home = home();
    let serving = Serving::start(&home, &["--store", "memory"]);
    assert_eq!(serving.get("/readyz", "").0, 200);
    fs::write(home.path().join("closed"), "").expect("the file is written");
    let (status, text) = serving.get("/readyz", "");
    assert!(status == 503 && text.contains("the broker's own check failed; see the broker's log"), "{text}");
    assert!(!text.contains("the shop"), "details are for the log: {text}");
    assert_eq!(serving.get("/healthz", "").0, 200);
}

#[test]
fn custom_authentication_works_beside_passwords_or_alone() {
    let home = home();
    let mut alone = shelf(&home, &["--store", "memory", "--listen", "0.0.0.0:0"]);
    alone.env("OSB_LOG", "warn").env_remove("OSB_USERNAME").env_remove("OSB_PASSWORD");
    for serving in [Serving::start(&home, &["--store", "memory"]), Serving::of(alone)] {
        let at = serving.url.replace("http://0.0.0.0", "127.0.0.1").replace("http://", "");
        let asked =
            |header: &str| crate::world::get(&at, "/v2/catalog", &format!("X-Broker-API-Version: 2.17\r\n{header}"));
        assert_eq!(asked("Ticket: good\r\n").0, 200);
        let (status, text) = asked("Ticket: bad\r\n");
        assert!(status == 401 && text.to_lowercase().contains("ticket realm"), "{text}");
    }
}

#[tokio::test]
async fn the_authors_pages_have_the_address_of_the_broker() {
    let home = home();
    let serving = Serving::start(&home, &["--store", "memory"]);
    assert_eq!(serving.provision("one").await.status, 201);
    let mut made = fs::read_dir(home.path()).expect("the directory").map(|entry| entry.expect("an entry").file_name());
    let shelf =
        made.find_map(|name| name.into_string().ok().filter(|name| name.starts_with("shelf-"))).expect("a shelf");
    let (status, page) = serving.get(&format!("/labels/{shelf}"), "");
    assert!(status == 200 && page.ends_with("\r\n\r\n80"), "{page}");
    assert_eq!(serving.get("/labels/other", "").0, 404);
    // For the broker, which tells no stranger which paths exist.
    let (status, refused) = serving.get("/other", "");
    assert!(status == 401 && refused.contains("\"description\""), "{refused}");
    assert_eq!(serving.get("/healthz", "").0, 200);
}

#[test]
fn the_authors_token_begins_the_shutdown() {
    let home = home();
    let mut serving = Serving::start(&home, &["--store", "memory"]);
    serving.stop(&home);
}

#[cfg(unix)]
#[test]
fn a_signal_after_the_authors_token_ends_the_program_at_once() {
    let home = home();
    let mut serving = Serving::start(&home, &["--store", "memory", "--shutdown-grace", "1h"]);
    let address = serving.url.replace("http://", "");
    // A request whose body the broker waits for.
    let mut stream = TcpStream::connect(&address).expect("it listens");
    let head = "PUT /v2/service_instances/one HTTP/1.1\r\nHost: here\r\nX-Broker-API-Version: 2.17\r\n\
                Authorization: Basic dXNlcjpwYXNzd29yZA==\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("it reads");
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).expect("it answers");
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");

    fs::write(home.path().join("stop"), "").expect("the file is written");
    until(|| TcpStream::connect(&address).is_err());
    serving.terminate();
    assert_eq!(serving.ended(), 1);
}

#[tokio::test]
async fn custom_commands_open_only_what_they_use() {
    let home = home_with(&["one"]).await;
    fs::remove_file(home.path().join("opened")).expect("`open` has made it");
    assert_eq!(succeeds(ran(shelf(&home, &["usage"]))), &*format!("1 of 80 cm in {}\n", home.path().display()));
    assert!(!home.path().join("opened").exists());
    fails(ran(shelf(&home, &["usage", "huge"])), 2, "there is no plan huge");
    fails(ran(bare(&home, &["usage"])), 2, "the required option is missing: --directory (SHELF_DIRECTORY)");
    fs::write(home.path().join("c.toml"), format!("directory = {:?}\n", home.path())).expect("the file is written");
    assert_eq!(ran(bare(&home, &["usage", "--config", "c.toml"])).0, 0);
    let (_, out, _) = ran(shelf(&home, &["--help"]));
    assert!(out.contains("usage        Count the instances"), "{out}");
}

#[tokio::test]
async fn commands_that_do_not_serve_open_less() {
    let home = home();
    // A remote address needs no option of the author, and nothing is opened.
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let args = ["purge", "one", "--yes", "--admin", &format!("http://{free}"), "--admin-credentials", "a:b"];
    let err = fails(ran(bare(&home, &args)), 1, "cannot reach http://");
    assert!(err.contains("check that the broker is running, and its admin address (--admin, OSB_ADMIN_URL)"), "{err}");

    let mut serving = Serving::start(&home, &[]);
    assert_eq!(serving.provision("one").await.status, 201);
    serving.stop(&home);
    fails(
        ran(bare(&home, &["purge", "one", "--yes", "--store", "shelf.redb"])),
        2,
        "the required option is missing: --directory (SHELF_DIRECTORY)",
    );
    fs::remove_file(home.path().join("opened")).expect("`open` has made it");
    fs::remove_file(home.path().join("mounted")).expect("`mount` has made it");
    prints(ran(shelf(&home, &["purge", "one", "--yes"])), "purge: ");
    assert!(!home.path().join("opened").exists(), "`offline` opens less");
    assert!(!home.path().join("mounted").exists(), "nothing is served");
    let journal = fs::read_to_string(home.path().join("journal")).expect("the audit writes it");
    assert!(journal.ends_with("deprovision succeeded\n"), "{journal}");
}

#[tokio::test]
async fn a_command_fails_with_the_operation_of_a_stopped_broker() {
    let home = home_with(&["one"]).await;
    fs::write(home.path().join("stuck"), "").expect("the file is written");
    // The command waits for the end, however short the time is for which a platform waits.
    let run = |command: &str| ran(shelf(&home, &[command, "one", "--yes"]).env("OSB_SYNC_WAIT", "0s"));
    for command in ["purge", "retry"] {
        let (code, out, err) = run(command);
        assert!(code == 1 && out.is_empty() && err.contains("error: 500 "), "{command}: {code} {out}{err}");
        assert!(err.contains("the shelf is stuck"), "the log has the reason: {err}");
    }
    fs::remove_file(home.path().join("stuck")).expect("the file is removed");
    let (code, out, err) = run("retry");
    assert!(code == 0 && out == "retry: done\n", "{code} {out}{err}");
    let audited = |line: &&str| line.contains("osb_runtime::audit") && line.contains("succeeded");
    let audited: Vec<&str> = err.lines().filter(audited).collect();
    assert!(matches!(&*audited, [line] if line.contains("broker") && line.contains("admin")), "{err}");
    assert!(!err.contains("INFO osb_runtime::lifecycle"), "{err}");
}

#[tokio::test]
async fn the_settings_of_operations_apply_to_a_stopped_broker() {
    let home = home();
    let mut serving = Serving::start(&home, &[]);
    for id in ["one", "two"] {
        assert_eq!(serving.provision(id).await.status, 201);
    }
    let bind = osb_client::Call::bind("one", "b", crate::world::SERVICE, crate::world::SMALL);
    assert_eq!(serving.send(&bind).await.status, 201);
    serving.stop(&home);

    let settings = "remaining-bindings = \"refuse\"\ntombstone-ttl = \"40000d\"\nlog = \"off\"\n";
    fs::write(home.path().join("c.toml"), settings).expect("the file is written");
    let configured = |args: &[&str]| ran(shelf(&home, &[args, &["--config", "c.toml"]].concat()));
    let (code, _, err) = configured(&["purge", "one", "--yes"]);
    assert!(code == 1 && err.starts_with("error: 422 "), "{code} {err}");
    fails(ran(shelf(&home, &["purge", "one", "--yes"]).env("OSB_REMAINING_BINDINGS", "refuse")), 1, "error: 422 ");

    let forgotten = |id: &str| {
        let (_, out, _) = ran(shelf(&home, &["instances", id, "--phase", "gone", "--json"]));
        let rows: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
        rows[0]["operation"]["forgotten_at"].as_str().map(str::to_owned).unwrap_or_default()
    };
    assert_eq!(configured(&["purge", "two", "--yes"]).0, 0);
    assert!(forgotten("two").starts_with("21"), "it is kept for 40000 days: {}", forgotten("two"));
    fs::write(home.path().join("stuck"), "").expect("the file is written");
    assert_eq!(ran(shelf(&home, &["purge", "one", "--yes"])).0, 1);
    let (code, _, err) = configured(&["abandon", "typo", "--yes"]);
    let unknown = "error: There is no such instance or binding. If its platform has a prefix, name it as the tenant (`--tenant`).\n";
    assert_eq!((code, &*err), (1, unknown));
    let log = ["--log", "osb_runtime::audit=info", "--log-format", "json"];
    let (code, _, err) = configured(&[&["abandon", "one", "--yes"], &log[..]].concat());
    let audited: serde_json::Value = serde_json::from_str(&err).unwrap_or_else(|error| panic!("{error}: {err}"));
    let told = ["target", "instance", "stage", "user"].map(|name| audited[name].as_str().unwrap_or_default());
    assert_eq!((code, told), (0, ["osb_runtime::audit", "one", "abandoned", "broker"]), "{err}");
    assert!(forgotten("one").starts_with("21"), "{}", forgotten("one"));
    let (_, help, _) = ran(shelf(&home, &["abandon", "--help"]));
    assert!(!help.contains("--tombstone-ttl"), "`serve --help` describes it: {help}");
}

#[test]
fn an_error_of_open_says_whether_a_restart_may_help() {
    let home = home();
    for (fail, code, text) in [
        ("config", 2, "the broker cannot be opened: --fail says that the configuration is wrong"),
        ("temporary", 1, "the broker cannot be opened: the database is away"),
    ] {
        let args = ["--store", "memory", "--fail", fail];
        let (exit, _, err) = ran(shelf(&home, &args));
        assert!(exit == code && err.contains(text), "{exit} {err}");
    }
}

/// An operator who looks at one target only still has to learn why there is no broker.
#[test]
fn a_program_that_fails_says_why_whatever_its_log_shows() {
    let home = home();
    for filter in ["info", "shelf=debug", "off"] {
        for (fail, code, text) in [
            ("config", 2, "--fail says that the configuration is wrong"),
            ("panic", 101, "--fail says that there is a bug"),
        ] {
            let args = ["--store", "memory", "--fail", fail, "--log-format", "json", "--log", filter];
            let (exit, _, err) = ran(shelf(&home, &args));
            assert!(exit == code && err.matches(text).count() == 1, "{filter}: {exit} {err}");
        }
    }
}

/// As the name of a target, it would turn off the rest of the log.
#[test]
fn a_misspelt_level_of_the_log_is_an_error() {
    let home = home();
    for (filter, word) in [("inof", "inof"), ("shelf=debug, warning", "warning")] {
        fails(
            ran(shelf(&home, &["--store", "memory", "--log", filter])),
            2,
            &format!("`{word}` is not a level; write error, warn"),
        );
    }
}

#[test]
fn the_client_sends_no_guess_for_an_instance_that_does_not_exist() {
    let home = home();
    let serving = Serving::start(&home, &["--store", "memory"]);
    let client = |args: &[&str]| {
        let mut command = bare(&home, &["client"]);
        command.args(args).args(["--url", &serving.url, "--username", "user", "--password", "password"]);
        ran(command)
    };
    for args in [&["update", "ghost", "--plan", "large"][..], &["bind", "ghost"]] {
        let (code, out, err) = client(args);
        assert!(code == 1 && out.is_empty() && err.contains("the instance ghost does not exist"), "{code} {err}");
    }
    assert_eq!(succeeds(client(&["deprovision", "ghost"])), "instance ghost does not exist\n");
    assert_eq!(succeeds(client(&["unbind", "ghost", "b"])), "binding b of ghost does not exist\n");
}
