//! Runs the command line of a broker as a process.

use std::{
    borrow::BorrowMut,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Output, Stdio},
};

use osb_testing::Process;
use tempfile::TempDir;

fn broker(args: &str) -> Command {
    let mut command = Process::command(env!("CARGO_BIN_EXE_quickstart"));
    // Tests run concurrently, and must not leave files behind.
    command.args(args.split_whitespace()).env("OSB_STORE", "memory").current_dir(env!("CARGO_TARGET_TMPDIR"));
    command
}

/// A command that runs in another directory.
fn broker_in(directory: &TempDir, args: &str) -> Command {
    let mut command = broker(args);
    command.current_dir(directory.path());
    command
}

fn run(args: &str) -> Output {
    broker(args).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it is text")
}

/// Asserts on the exit code and on a part of standard error.
#[track_caller]
fn assert_refused(mut command: impl BorrowMut<Command>, code: i32, part: &str) {
    let output = command.borrow_mut().stdin(Stdio::null()).output().expect("the program runs");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(part), "{said}");
}

#[test]
fn catalog_schema_and_docs_need_no_configuration() {
    assert!(text(&run("catalog").stdout).contains("disk-image  small  yes   yes"));
    assert!(
        text(&run("catalog --json").stdout).starts_with("{\n  \"services\": [\n    {\n      \"name\": \"disk-image\"")
    );
    assert!(text(&run("schema disk-image small create").stdout).contains("\"size_mib\": {"));
    assert!(text(&run("docs").stdout).starts_with("# disk-image\n"));
    assert!(text(&run("docs --format html").stdout).starts_with("<!doctype html>\n"));
    assert!(text(&run("docs --format openapi").stdout).starts_with("{\n  \"openapi\": \"3.1.0\""));
    let version = format!("quickstart {} with osb-runtime ", env!("CARGO_PKG_VERSION"));
    assert!(text(&run("--version").stdout).starts_with(&version));
}

#[test]
fn documentation_is_written_to_files_and_directories() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    for (args, written) in [
        ("--out services.md", "services.md"),
        ("--out site/page.html", "site/page.html"),
        ("--out site", "site/quickstart.md"),
        ("--format html --out site", "site/index.html"),
        ("--format openapi --out new/api", "new/api/openapi.json"),
    ] {
        let output = broker_in(&folder, &format!("docs {args}")).output().expect("the program runs");
        assert_eq!(text(&output.stdout), format!("{written} written\n"), "{}", text(&output.stderr));
        let content = std::fs::read_to_string(folder.path().join(written)).expect("the file is read");
        assert!(content.contains("disk-image"), "{content}");
    }
    let beyond_a_file = broker_in(&folder, "docs --out services.md/site");
    assert_refused(beyond_a_file, 1, "services.md/site/quickstart.md cannot be written: ");
    std::fs::write(folder.path().join("README"), "").expect("the file is written");
    assert_refused(
        broker_in(&folder, "docs --format html --out README"),
        2,
        "README is a file, and its name has no known format: name a directory, or a file that ends in",
    );
    assert_refused(broker("docs --format pdf"), 2, "[possible values: markdown, html, openapi]");
}

#[test]
fn an_address_for_operators_without_tls_needs_no_program_with_tls() {
    for when in ["off", "auto"] {
        // It gets as far as the credentials.
        assert_refused(broker("--listen 0.0.0.0:0").env("OSB_ADMIN_TLS", when), 2, "credentials are required");
    }
}

#[test]
fn mistakes_are_explained() {
    assert_refused(broker("schema disk-imge small create"), 2, "did you mean disk-image?");
    assert_refused(broker("schema disk-image small update"), 2, "an update takes no parameters");
    assert_refused(broker("--listen 8080"), 2, "write HOST:PORT");
    assert_refused(broker("--listen 0.0.0.0:0"), 2, "credentials are required");
    assert_refused(broker("--username a"), 2, "OSB_USERNAME is set without OSB_PASSWORD");
    assert_refused(broker("--log loud=quiet=x"), 2, "write error, warn, info");
    let platform = "--platform cf-prod=/cf-prod";
    assert_refused(broker("--moment 5"), 2, "--moment is now --sync-wait");
    assert_refused(broker("--sync-wait 5"), 2, "the unit is missing; write `5s`");
    assert_refused(broker("--platform cf-prod"), 2, "write --platform NAME=/PREFIX");
    assert_refused(broker(platform), 2, "set OSB_PLATFORM_CF_PROD_CREDENTIALS to");
    for (variable, value, why) in [
        ("OSB_CREDENTIALS", "good:one s3cret", "pair 2 of OSB_CREDENTIALS has no colon"),
        ("OSB_BEARER_TOKENS", "good s\u{e9}cret", "token 2 of OSB_BEARER_TOKENS is invalid: a token must consist of"),
        ("OSB_MOMENT", "5", "the variable OSB_MOMENT is now OSB_SYNC_WAIT"),
    ] {
        assert_refused(broker("").env(variable, value), 2, why);
    }
    for (more, why) in [
        ("--platform x=/x/", "must neither end with `/`"),
        ("--platform cf.prod=/x", "another platform's credentials are also in OSB_PLATFORM_CF_PROD_CREDENTIALS"),
        ("--username good --password one --platform x=/x", "platform `cf-prod`: its credentials are also those of"),
    ] {
        let mut command = broker(&format!("{platform} {more}"));
        command.env("OSB_PLATFORM_CF_PROD_CREDENTIALS", "good:one").env("OSB_PLATFORM_X_CREDENTIALS", "x:y");
        assert_refused(command, 2, why);
    }
    let without_colon = "pair 2 of OSB_PLATFORM_CF_PROD_CREDENTIALS has no colon";
    assert_refused(broker(platform).env("OSB_PLATFORM_CF_PROD_CREDENTIALS", "good:one s3cret"), 2, without_colon);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address");
    assert_refused(
        broker(&format!("--listen {address}")),
        1,
        "another program, or another option of this one, listens there",
    );
}

#[test]
fn a_deployment_shows_a_catalog_of_its_own() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it can be written");
    let here = |args: &str| broker_in(&folder, args);
    write("dev.toml", "prefix = 'dev-'\n[services.disk-image.plans.small]\ndescription = 'Up to 8 MB.'\n");
    write("config.toml", "catalog-overrides = 'dev.toml'\n");
    let output = here("catalog --config config.toml").output().expect("the program runs");
    assert!(
        text(&output.stdout).contains("dev-disk-image  small  yes   yes       -           Up to 8 MB."),
        "{output:?}"
    );
    for (args, part) in [
        ("catalog --json", "\"name\": \"dev-disk-image\""),
        ("docs", "# dev-disk-image\n"),
        ("docs --format html", "dev-disk-image"),
        ("schema dev-disk-image small create", "\"size_mib\": {"),
    ] {
        let output = here(&format!("{args} --catalog-overrides dev.toml")).output().expect("the program runs");
        assert!(text(&output.stdout).contains(part), "{args}: {output:?}");
    }
    let serving = Process::start(here("--listen 127.0.0.1:0 --log off").env("OSB_CATALOG_OVERRIDES", "dev.toml"));
    assert!(serving.output().contains("1 service with 1 plan"), "{}", serving.output());

    assert_refused(here("catalog --catalog-overrides gone.toml"), 2, "gone.toml cannot be read: ");
}

/// A modified lock file stands in for a release whose catalog differs.
#[test]
fn a_release_is_compared_with_the_lock_of_the_last_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("catalog.lock");
    let locking = |args: &str| broker_in(&directory, args);
    let succeeds = |args: &str| {
        let output = locking(args).output().expect("the program runs");
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout).to_owned()
    };
    let write = |text: &str| std::fs::write(&file, text).expect("it can be written");

    assert_refused(locking("lock --check"), 2, "run `quickstart lock` to create it, and commit it");
    assert_refused(locking("lock --check --file x/y"), 2, "run `quickstart lock --file x/y` to create it");
    assert_eq!(succeeds("lock"), "catalog.lock written\n");
    assert_eq!(succeeds("lock --check"), "the catalog is the same as in catalog.lock\n");
    let locked = std::fs::read_to_string(&file).expect("the file is read");

    write(&locked.replace("\"maximum\": 64", "\"maximum\": 32"));
    let passed = succeeds("lock --check");
    for part in
        ["small / create /size_mib: the maximum is higher (was 32, is 64)", "Run `quickstart lock` with the release"]
    {
        assert!(passed.contains(part), "{passed}");
    }

    write(&locked.replace("\"maximum\": 64", "\"maximum\": 128"));
    for part in ["the maximum is lower (was 128, is 64)", "breaks users", "run `quickstart lock`"] {
        assert_refused(locking("lock --check"), 1, part);
    }
    assert!(succeeds("lock").contains("catalog.lock written with breaking changes"));
    assert_eq!(std::fs::read_to_string(&file).expect("the file is read"), locked);
    // Others may have written the file, in a pull request.
    write(&locked.replace("\"name\": \"small\"", r#""name": "small\u001b[2J""#));
    assert!(succeeds("lock").contains("the name of the plan changed (was small [2J, is small)"));

    write(&locked.replacen("\"version\": 1", "\"version\": 2", 1));
    assert_refused(locking("lock --check"), 2, "build with the newer osb-runtime");
    write(&format!("<<<<<<< HEAD\n{locked}"));
    for args in ["lock --check", "lock"] {
        assert_refused(locking(args), 2, "restore it from version control");
    }
}

/// Returns the address of a broker.
fn address(serving: &Process) -> &str {
    serving.url().trim_start_matches("http://")
}

/// Requests the catalog, and returns the first line of the response.
fn catalog(serving: &Process, authorization: &str) -> String {
    catalog_at(serving, "", authorization)
}

/// Requests the catalog behind a prefix.
fn catalog_at(serving: &Process, prefix: &str, authorization: &str) -> String {
    let address = address(serving);
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(
        stream,
        "GET {prefix}/v2/catalog HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         X-Broker-API-Version: 2.17\r\nAuthorization: {authorization}\r\n\r\n"
    )
    .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn credentials_are_generated_on_loopback() {
    let serving = Process::start(broker("--listen 127.0.0.1:0 --log off"));
    let said = serving.wait_for("/v2/catalog");
    assert!(said.contains(concat!("quickstart ", env!("CARGO_PKG_VERSION"), ": 1 service with 1 plan")), "{said}");
    assert!(said.contains("OSB_USERNAME=broker OSB_PASSWORD="), "{said}");
    assert_eq!(catalog(&serving, "Basic YTpi"), "HTTP/1.1 401 Unauthorized");
}

/// A file without credentials is a mistake, such as a secret that is not mounted yet.
#[test]
fn no_credentials_are_generated_in_place_of_those_in_a_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = |args: &str| broker_in(&directory, args);
    std::fs::write(directory.path().join("empty"), "\n").expect("a file");
    for option in ["--credentials-file", "--bearer-tokens-file"] {
        assert_refused(here(&format!("--listen 127.0.0.1:0 {option} empty")), 2, "empty has no credentials");
        let gone = format!("{option}: gone cannot be read: ");
        assert_refused(here(&format!("--listen 127.0.0.1:0 {option} gone")), 2, &gone);
    }
    let gone = "OSB_PLATFORM_CF_CREDENTIALS_FILE: gone cannot be read: ";
    let platform = "--listen 127.0.0.1:0 --platform cf=/cf";
    assert_refused(here(platform).env("OSB_PLATFORM_CF_CREDENTIALS_FILE", "gone"), 2, gone);
    // Others are enough.
    let mut command = here("--listen 127.0.0.1:0 --log off --credentials-file empty");
    command.env("OSB_USERNAME", "a").env("OSB_PASSWORD", "b");
    assert_eq!(catalog(&Process::start(command), "Basic YTpi"), "HTTP/1.1 200 OK");
    // As editors on Windows write it.
    std::fs::write(directory.path().join("marked"), "\u{feff}a:b\r\n").expect("a file");
    let command = here("--listen 127.0.0.1:0 --log off --credentials-file marked");
    assert_eq!(catalog(&Process::start(command), "Basic YTpi"), "HTTP/1.1 200 OK");
    assert_refused(here("--listen 127.0.0.1:0 --platform =/cf"), 2, "platform `=/cf` has no name");
}

#[test]
fn several_platforms_are_served_behind_their_prefixes() {
    let mut command = broker("--listen 127.0.0.1:0 --log off");
    command.env("OSB_PLATFORMS", "cf-prod=/cf-prod k8s=/kubernetes/one");
    command.env("OSB_PLATFORM_CF_PROD_CREDENTIALS", "a:b").env("OSB_PLATFORM_K8S_CREDENTIALS", "c:d e:f");
    command.env("OSB_PLATFORM_K8S_BEARER_TOKENS", "token");
    let serving = Process::start(command);
    let banner = serving.output();
    assert!(banner.contains(&format!("platform k8s: {}/kubernetes/one\n", serving.url())), "{banner}");
    let docs = format!("documentation: {0}/kubernetes/one/docs {0}/cf-prod/docs\n", serving.url());
    assert!(banner.contains(&docs), "{banner}");
    assert!(!banner.contains("curl"), "no credentials are generated: {banner}");
    for (prefix, authorization, status) in [
        ("/cf-prod", "Basic YTpi", "200 OK"),
        ("/kubernetes/one", "Basic Yzpk", "200 OK"),
        ("/kubernetes/one", "Basic ZTpm", "200 OK"),
        ("/kubernetes/one", "Bearer token", "200 OK"),
        ("/cf-prod", "Bearer token", "401 Unauthorized"),
        ("/kubernetes/one", "Basic YTpi", "401 Unauthorized"),
        ("", "Basic YTpi", "401 Unauthorized"),
    ] {
        assert_eq!(catalog_at(&serving, prefix, authorization), format!("HTTP/1.1 {status}"), "{prefix}");
    }
}

const KEYS: [&str; 2] = [
    "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea",
    "0d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea8f",
];

#[test]
fn the_file_of_records_can_be_encrypted_with_another_key() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let in_folder = |args: &str| {
        let mut command = broker_in(&folder, args);
        command.env_remove("OSB_STORE");
        command
    };
    let serving = Process::start(in_folder("--listen 127.0.0.1:0"));
    let said = serving.output();
    assert!(said.contains("state: in quickstart.redb, NOT encrypted"), "{said}");
    assert!(said.contains("WARN"), "there is a warning: {said}");
    let held = "quickstart.redb is in use by another process; stop that process or use another file";
    assert_refused(in_folder("--listen 127.0.0.1:0"), 1, held);
    assert_eq!(catalog(&serving, "Basic YTpi"), "HTTP/1.1 401 Unauthorized", "the first process is not affected");
    drop(serving);

    assert_refused(in_folder("reseal"), 2, "set OSB_STORE_KEYS");
    assert_refused(in_folder("reseal --store memory"), 2, "records in memory can't be re-encrypted");
    let keys = KEYS.join(" ");
    let nothing = "the records file other.redb does not exist";
    assert_refused(in_folder("reseal --store other.redb").env("OSB_STORE_KEYS", &keys), 2, nothing);
    let output = in_folder("reseal").env("OSB_STORE_KEYS", &keys).output().expect("the program runs");
    assert_eq!(text(&output.stdout), "0 records in quickstart.redb encrypted with key 607ee9eac1e8c42f\n");

    let file = folder.path().join("keys");
    std::fs::write(&file, KEYS.join("\n")).expect("it can be written");
    let serving = Process::start(in_folder("--listen 127.0.0.1:0").env("OSB_STORE_KEYS_FILE", &file));
    assert!(serving.output().contains("encrypted with key 607ee9eac1e8c42f\n"), "{}", serving.output());
}

#[test]
fn keys_that_cannot_be_used_are_not_shown() {
    let wrong = format!("{} {}x", KEYS[0], KEYS[1]);
    let never_made = "--listen 127.0.0.1:0 --store never-made.redb";
    let output = broker(never_made).env("OSB_STORE_KEYS", &wrong).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("the keys in --store-keys (OSB_STORE_KEYS) are invalid: key 2 has 65 characters"), "{said}");
    assert!(!KEYS.iter().any(|key| said.contains(&key[..16])), "{said}");
    assert!(!std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("never-made.redb").exists());
    let in_memory = "--listen 127.0.0.1:0 --store memory";
    assert_refused(broker(in_memory).env("OSB_STORE_KEYS", &wrong), 2, "key 2 has 65 characters");
}

#[cfg(unix)]
#[test]
fn it_serves_until_sigterm() {
    let mut command = broker("serve --listen 127.0.0.1:0 --log off");
    command.env("OSB_CREDENTIALS", "a:b\nc:d").env("OSB_BEARER_TOKENS", "token-1 token-2\n");
    let serving = Process::start(command);
    for good in ["Basic YTpi", "Basic Yzpk", "Bearer token-1", "Bearer token-2"] {
        assert_eq!(catalog(&serving, good), "HTTP/1.1 200 OK");
    }
    let id = serving.child.id().to_string();
    let send =
        |signal: &str| assert!(Command::new("kill").args([signal, &*id]).status().expect("it is sent").success());
    for _ in 0..20 {
        send("-HUP");
        assert_eq!(catalog(&serving, "Basic YTpi"), "HTTP/1.1 200 OK");
    }
    send("-TERM");
    let (status, said) = serving.end();
    assert!(said.ends_with("quickstart: stopped\n"), "{said}");
    assert_eq!(status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_second_signal_cuts_off_running_requests() {
    let serving = Process::start(broker("serve --listen 127.0.0.1:0 --log off").env("OSB_CREDENTIALS", "a:b"));
    let id = serving.child.id().to_string();
    let terminate = || assert!(Command::new("kill").args(["-TERM", &id]).status().expect("it is sent").success());

    // A request without its body. The broker waits for the body once it has sent `100 Continue`.
    let mut stream = TcpStream::connect(address(&serving)).expect("it listens");
    write!(
        stream,
        "PUT /v2/service_instances/one HTTP/1.1\r\nHost: here\r\nX-Broker-API-Version: 2.17\r\n\
         Authorization: Basic YTpi\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
    )
    .expect("it reads");
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).expect("it answers");
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");

    terminate();
    serving.wait_for("stopping: waiting up to 24s for running operations, then 6s to hand over the rest");
    terminate();
    let (status, said) = serving.end();
    assert!(said.contains("second signal: running operations were cut off"), "{said}");
    assert_eq!(status.code(), Some(1));
}

#[test]
fn shells_complete_commands_and_options() {
    for (shell, has) in
        [("elvish", "'quickstart;serve'"), ("fish", "-l store"), ("powershell", "--store"), ("zsh", "--store=")]
    {
        let output = run(&format!("completions {shell}"));
        let script = text(&output.stdout);
        assert!(output.status.success() && script.contains(has) && script.contains("reseal"), "{shell}: {script}");
    }
    assert_refused(broker("completions tcsh"), 2, "[possible values: bash, elvish, fish, powershell, zsh]");

    let script = run("completions bash").stdout;
    let bash = |line: &str| {
        let (words, last) = (line.split(' ').collect::<Vec<_>>(), line.split(' ').count() - 1);
        let previous = words[last.saturating_sub(1)];
        // Does the same as bash when TAB is pressed.
        let ask = format!(
            "{}\nset -- $(complete -p quickstart)\nwhile [ \"$1\" != -F ]; do shift; done\n\
             COMP_WORDS=({line}) COMP_CWORD={last}\n\"$2\" quickstart '{}' '{previous}'\necho \"${{COMPREPLY[@]}}\"",
            text(&script),
            words[last],
        );
        Command::new("bash").args(["--norc", "-c", &ask]).output()
    };
    match bash("quickstart sch") {
        Ok(answer) => assert_eq!(text(&answer.stdout), "schema\n", "{}", text(&answer.stderr)),
        // Without bash, checks only that there is a script.
        Err(_) => return assert!(text(&script).contains("complete -F")),
    }
    let answered = |line| text(&bash(line).expect("it ran before").stdout).trim().to_owned();
    assert_eq!(answered("quickstart serve --store-k"), "--store-keys --store-keys-file");
    assert_eq!(answered("quickstart serve --log-format j"), "json");
    assert_eq!(answered("quickstart completions fi"), "fish");
}
