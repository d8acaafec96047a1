//! The author's options: secrets, durations, the configuration file.

use std::{collections::BTreeSet, fs};

use crate::world::{Serving, bare, fails, home, home_with, prints, ran, shelf, succeeds, within};

const SECRET: &str = "postgres://broker:hunter2@db/kv";

#[test]
fn help_never_shows_values_of_the_environment_or_of_a_file() {
    let home = home();
    let settings = format!("plain = {SECRET:?}\nusername = {SECRET:?}\npassword = {SECRET:?}\n");
    fs::write(home.path().join("c.toml"), settings).expect("the file is written");
    for (args, shown) in [
        (&["--help"][..], &["PG_URL", "PG_URL_FILE", "OSB_CREDENTIALS"][..]),
        (&["serve", "--help"], &[]),
        (&["usage", "--help"], &[]),
        (&["retry", "--help"], &[]),
        (&["client", "--help"], &[]),
        (&["client", "catalog", "--help"], &["OSB_CLIENT_TOKEN"]),
    ] {
        let mut command = shelf(&home, args);
        command.env("PG_URL", SECRET).env("SHELF_PLAIN", SECRET).env("OSB_ADMIN_URL", SECRET);
        command.env("OSB_CLIENT_URL", SECRET).env("OSB_CONFIG", home.path().join("c.toml"));
        for name in ["PASSWORD", "CREDENTIALS", "BEARER_TOKENS", "STORE_KEYS", "CLIENT_PASSWORD", "CLIENT_TOKEN"] {
            command.env(format!("OSB_{name}"), SECRET);
        }
        let (code, out, err) = ran(command);
        assert!(code == 0 && !format!("{out}{err}").contains("hunter2"), "{args:?}: {out}{err}");
        for variable in shown {
            assert!(out.contains(&format!("[env: {variable}]")), "{args:?}: {variable}: {out}");
        }
    }
}

#[test]
fn secrets_are_read_from_the_environment_or_a_file_and_never_printed() {
    let home = home();
    fs::write(home.path().join("secret"), format!("{SECRET}\n")).expect("the file is written");
    fs::write(home.path().join("by_file.toml"), "pg-url-file = \"secret\"\n").expect("the file is written");
    fs::write(home.path().join("by_value.toml"), format!("pg-url = {SECRET:?}\n")).expect("the file is written");
    for (args, variable) in [
        (&["--pg-url-file", "secret"][..], None),
        (&["--config", "by_file.toml"], None),
        (&["--config", "by_value.toml"], None),
        (&[], Some(("PG_URL", SECRET))),
        (&[], Some(("PG_URL_FILE", "secret"))),
    ] {
        drop(Serving::of(shelf(&home, &["--store", "memory"]).args(args).envs(variable)));
        let config = fs::read_to_string(home.path().join("config")).expect("`open` writes it");
        let said = format!(
            "Some(Secret(..)), plain: \"\", delay: 1ms, fail: \"\" }}, of a secret of {} characters\n",
            SECRET.len()
        );
        assert!(config.ends_with(&said) && !config.contains("hunter2"), "{args:?}: {config}");
    }
    fails(ran(shelf(&home, &["--pg-url-file", "nowhere"])), 2, "--pg-url-file: nowhere cannot be read: ");
    let mut both = shelf(&home, &["--pg-url-file", "secret", "--pg-url", SECRET]);
    let (code, _, err) = ran(both);
    assert!(code == 2 && err.contains("cannot be used with") && !err.contains("hunter2"), "{err}");
    both = shelf(&home, &[]);
    both.env("PG_URL", SECRET).env("PG_URL_FILE", "secret");
    let (code, _, err) = ran(both);
    assert!(code == 2 && err.contains("cannot be used with") && !err.contains("hunter2"), "{err}");
}

#[test]
fn a_missing_option_is_named_with_its_variable() {
    let home = home();
    for args in [&[][..], &["serve"]] {
        let (code, _, err) = ran(bare(&home, args));
        assert!(
            code == 2 && err.contains("--directory <DIRECTORY>") && err.contains("or set SHELF_DIRECTORY"),
            "{err}"
        );
    }
}

#[test]
fn a_username_without_a_password_is_refused_with_other_ways() {
    let home = home();
    for (set, missing) in [("OSB_USERNAME", "OSB_PASSWORD"), ("OSB_PASSWORD", "OSB_USERNAME")] {
        let mut command = shelf(&home, &["serve", "--store", "memory"]);
        let err = fails(ran(command.env_remove(missing)), 2, &format!("{set} is set without {missing}"));
        assert!(err.contains("OSB_CREDENTIALS_FILE"), "{err}");
    }
}

#[test]
fn options_before_a_command_are_refused_with_the_right_place() {
    let home = home();
    fs::write(home.path().join("c.toml"), "").expect("the file is written");
    for (command, advice) in [
        ("instances", "write the options after the command: shelf instances [OPTIONS]"),
        ("serve", "write the options after the command: shelf serve [OPTIONS]"),
        ("instance", "there is no command `instance`\n  did you mean `instances`?"),
    ] {
        fails(ran(shelf(&home, &["--config", "c.toml", command])), 2, advice);
    }
}

#[test]
fn a_secret_or_its_file_on_the_command_line_wins_over_the_other_in_the_environment() {
    let home = home();
    fs::write(home.path().join("secret"), "the file").expect("the file is written");
    for (args, variables, length) in [
        (["--pg-url-file", "secret"], [("PG_URL", SECRET), ("A", "")], 8),
        (["--pg-url", "abc"], [("PG_URL_FILE", "secret"), ("A", "")], 3),
        (["--plain", ""], [("PG_URL_FILE", "secret"), ("PG_URL", "")], 8),
        (["--plain", ""], [("PG_URL_FILE", ""), ("PG_URL", "abc")], 3),
    ] {
        drop(Serving::of(shelf(&home, &["--store", "memory"]).args(args).envs(variables)));
        let config = fs::read_to_string(home.path().join("config")).expect("`open` writes it");
        assert!(config.ends_with(&format!("of a secret of {length} characters\n")), "{args:?}: {config}");
    }
}

#[test]
fn keys_or_their_file_on_the_command_line_win_over_the_other_in_the_environment() {
    let home = home();
    let (one, two) = ("8f5d1c6e0b7a49d2c3e4f5061728394a".repeat(2), "0d1c6e0b7a49d2c3e4f5061728394a5b".repeat(2));
    fs::write(home.path().join("keys"), &one).expect("the file is written");
    let encrypted_with = |args: &[&str], variables: &[(&str, &str)]| {
        let records = home.path().join("shelf.redb");
        let _ = fs::remove_file(records);
        let serving = Serving::of(shelf(&home, &["serve"]).args(args).envs(variables.iter().copied()));
        let (_, key) = serving.banner.split_once("encrypted with key ").expect("the banner has the key");
        key[..16].to_owned()
    };
    let by_file = encrypted_with(&["--store-keys-file", "keys"], &[("OSB_STORE_KEYS", &two)]);
    let by_value = encrypted_with(&["--store-keys", &two], &[("OSB_STORE_KEYS_FILE", "keys")]);
    assert_ne!(by_file, by_value);
    assert_eq!(encrypted_with(&["--store-keys", &one], &[("OSB_STORE_KEYS_FILE", "nowhere")]), by_file);
    assert_eq!(encrypted_with(&[], &[("OSB_STORE_KEYS", ""), ("OSB_STORE_KEYS_FILE", "keys")]), by_file);

    fails(ran(shelf(&home, &["--store-keys-file", "nowhere"])), 2, "--store-keys-file: nowhere cannot be read: ");

    let copy = ["records", "copy", "--from", "shelf.redb", "--to", "b.redb", "--store-keys-file", "keys"];
    succeeds(ran(bare(&home, &copy).env("OSB_STORE_KEYS", &two)));
    // No file is written without encryption by mistake.
    let mut empty = shelf(&home, &["--store", "new.redb"]);
    fails(ran(empty.env("OSB_STORE_KEYS", "")), 2, "OSB_STORE_KEYS");
    fails(ran(empty.env("OSB_STORE_KEYS_FILE", "")), 2, "OSB_STORE_KEYS");
}

#[test]
fn a_copy_to_an_invalid_url_is_a_mistake_of_the_command_line() {
    let home = home();
    drop(Serving::start(&home, &[]));
    let copy = ["records", "copy", "--from", "shelf.redb", "--to", "postgres://db/kv?sslmode=enabled"];
    let (code, _, err) = ran(bare(&home, &copy));
    assert!(code == 2 && err.contains("sslmode") && err.contains("nothing was copied"), "{code}: {err}");
}

#[test]
fn a_copy_that_cannot_read_its_source_names_the_options_of_the_command() {
    let home = home();
    fs::write(home.path().join("text.redb"), "text").expect("it is written");
    let (code, _, err) = ran(bare(&home, &["records", "copy", "--from", "text.redb", "--to", "copy.redb"]));
    let advice = "the location of the records is set by --from, and their keys by OSB_STORE_KEYS";
    assert!(code == 1 && err.contains(advice), "{code}: {err}");
    let missing = bare(&home, &["records", "copy", "--from", "missing.redb", "--to", "copy.redb"]);
    fails(ran(missing), 2, "the records file missing.redb does not exist\n  set --from to the file");
}

#[test]
fn keys_and_their_file_in_one_configuration_file_are_an_error() {
    let home = home();
    let key = "8f5d1c6e0b7a49d2c3e4f5061728394a".repeat(2);
    fs::write(home.path().join("keys"), &key).expect("the file is written");
    let serve = |settings: &str, variables: &[(&str, &str)]| {
        fs::write(home.path().join("c.toml"), settings).expect("the file is written");
        let mut command = shelf(&home, &["--config", "c.toml"]);
        command.envs(variables.iter().copied());
        command
    };
    let both = format!("store-keys-file = \"keys\"\nstore-keys = {key:?}\n");
    let (code, _, err) = ran(serve(&both, &[]));
    assert!(code == 2 && !err.contains(&key), "{err}");
    assert!(
        err.contains("c.toml:2: `store-keys` and `store-keys-file` (line 1) exclude each other; remove one"),
        "{err}"
    );
    fails(
        ran(serve("pg-url = \"a\"\npg-url-file = \"keys\"\n", &[])),
        2,
        "c.toml:1: `pg-url` and `pg-url-file` (line 2) exclude each other",
    );

    for (settings, variable) in [
        ("store-keys-file = \"keys\"\n".to_owned(), "OSB_STORE_KEYS"),
        (format!("store-keys = {key:?}\n"), "OSB_STORE_KEYS_FILE"),
    ] {
        let serving = Serving::of(serve(&settings, &[(variable, "")]));
        assert!(serving.banner.contains("encrypted with key "), "an empty variable gives way: {}", serving.banner);
        assert!(!serving.banner.contains("NOT encrypted"), "{}", serving.banner);
    }
}

#[tokio::test]
async fn a_wrong_key_is_a_mistake_of_the_configuration_and_a_failed_reseal_leaves_no_file() {
    let home = home();
    let (one, two) = ("8f5d1c6e0b7a49d2c3e4f5061728394a".repeat(2), "0d1c6e0b7a49d2c3e4f5061728394a5b".repeat(2));
    let with = |args: &[&str], keys: &str| {
        let mut command = shelf(&home, args);
        command.env("OSB_STORE_KEYS", keys);
        command
    };
    let mut serving = Serving::of(with(&[], &one));
    assert_eq!(serving.provision("one").await.status, 201);
    serving.stop(&home);
    for args in [&[][..], &["instances"], &["reseal"]] {
        let (code, _, err) = ran(with(args, &two));
        assert!(
            code == 2 && err.contains("1 record in shelf.redb is encrypted with the key "),
            "{args:?}: {code} {err}"
        );
    }
    fails(ran(shelf(&home, &["instances"])), 2, ", and no key was given; give that key");

    #[cfg(target_os = "linux")]
    for (args, copy) in [
        (&["reseal"][..], "shelf.redb.resealed"),
        (&["records", "copy", "--from", "shelf.redb", "--to", "copy.redb"], "copy.redb.copy"),
    ] {
        let full = with(args, &format!("{two} {one}"));
        let limited = within(&["bash", "-c", "trap '' XFSZ; ulimit -S -f 64; exec \"$@\"", "bash"], &full);
        let err = fails(ran(limited), 1, copy);
        let left = fs::read_dir(home.path()).expect("the directory").map(|entry| entry.expect("an entry").file_name());
        let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains(".redb")).collect();
        assert_eq!(left, ["shelf.redb"], "{err}");
    }
}

#[test]
fn mistakes_name_the_variable_or_the_option() {
    let home = home();
    for (port, says) in [("abc", "PORT is \"abc\", which is not a port"), ("70000", "PORT is \"70000\"")] {
        fails(ran(shelf(&home, &["--store", "memory"]).env("PORT", port).env_remove("OSB_LISTEN")), 2, says);
    }
    // Cloud Foundry sets it, templates leave it empty.
    let mut command = shelf(&home, &["--store", "memory", "--catalog-overrides", "missing.toml"]);
    command.env("PORT", "").env_remove("OSB_LISTEN");
    let err = fails(ran(command), 2, "missing.toml cannot be read");
    assert!(!err.contains("PORT"), "{err}");
    for (args, says) in [
        (
            &["--retry-initial-delay", "5m"][..],
            "--retry-initial-delay (5m) must not be longer than --retry-max-delay (1m)",
        ),
        (&["--lease", "0s"], "'--lease <DURATION>': it must be longer than 0"),
        (&["--max-connections", "x"], "write a whole number, such as 64"),
        (&["--queue-limit", "x"], "write a whole number, such as 64"),
        (&["--concurrency", "0"], "write a whole number of at least 1, such as 64"),
        (&["--otlp-endpoint", "http://"], "a valid URL looks like http://localhost:4318"),
    ] {
        fails(ran(shelf(&home, &[&["--store", "memory"], args].concat())), 2, says);
    }
}

#[tokio::test]
async fn an_unknown_service_or_plan_is_no_empty_list() {
    let home = home_with(&["one"]).await;
    for (args, expected, says) in [
        (["instances", "--service", "shelv"], 2, "unknown service \"shelv\"; known: shelf\n  did you mean shelf?"),
        (["instances", "--plan", "smal"], 2, "unknown plan \"smal\"; known: small, large, "),
        (["operations", "--plan", "large"], 0, "No operations found."),
        (["instances", "--service", "shelf"], 0, "one"),
    ] {
        let (code, out, err) = ran(shelf(&home, &args));
        assert!(code == expected && format!("{out}{err}").contains(says), "{args:?}: {out}{err}");
    }
}

#[test]
fn an_empty_variable_is_ignored() {
    let home = home();
    let names = ["OSB_CONFIG", "OSB_LISTEN", "OSB_STORE", "OSB_CATALOG_OVERRIDES", "OSB_SYNC_WAIT"];
    for args in [&["catalog"][..], &["docs"], &["lock"], &["instances", "--help"], &["client", "--help"]] {
        let (code, _, err) = ran(shelf(&home, args).envs(names.map(|name| (name, ""))));
        assert_eq!(code, 0, "{args:?}: {err}");
    }
    let (code, _, _) = ran(shelf(&home, &["catalog", "--config", ""]));
    assert_eq!(code, 2);
}

/// Those of `serve` are for the broker, in whose environment an operator may run them.
#[test]
fn other_commands_ignore_the_variables_of_serve() {
    let home = home();
    let set = [("OSB_LISTEN", "nowhere"), ("OSB_MAX_CONNECTIONS", "x"), ("OSB_LEASE", "x"), ("SHELF_DELAY", "x")];
    for args in [&["catalog"][..], &["docs"], &["config"], &["lock"], &["export", "--store", "memory"]] {
        let (_, out, err) = ran(shelf(&home, args).envs(set));
        assert!(
            set.iter().all(|(name, _)| !err.contains(name)) && !err.contains("invalid value"),
            "{args:?}: {out}{err}"
        );
    }
    let source = |name: &str| format!("this value is from the environment variable {name}");
    for (args, name, is_read) in [
        (&["serve"][..], "SHELF_DELAY", true),
        (&["serve"], "OSB_LEASE", true),
        (&["purge", "some", "--yes"], "OSB_LEASE", true),
        (&["serve", "--lease", "later"], "OSB_LEASE", false),
        (&["serve", "--lease=later"], "OSB_LEASE", false),
    ] {
        let (code, _, err) = ran(shelf(&home, args).env(name, "x"));
        assert!(code == 2 && err.contains(&source(name)) == is_read, "{args:?}: {code}: {err}");
    }
}

#[tokio::test]
async fn operators_credentials_can_be_in_a_file() {
    let home = home();
    let mut serve = shelf(&home, &["--store", "memory", "--admin-listen", "127.0.0.1:0"]);
    fs::write(home.path().join("operators"), "operator:secret\n").expect("the file is written");
    serve.env("OSB_ADMIN_CREDENTIALS_FILE", "operators");
    let serving = Serving::of(serve);
    let list = |more: &[&str]| bare(&home, &[&["instances", "--admin", serving.admin_url()], more].concat());
    fs::write(home.path().join("c.toml"), "admin-credentials-file = \"operators\"\n").expect("the file is written");
    let mut by_variable = list(&[]);
    by_variable.env("OSB_ADMIN_CREDENTIALS_FILE", "operators").env("OSB_ADMIN_CREDENTIALS", "");
    let by_option = list(&["--admin-credentials-file", "operators"]);
    fs::write(home.path().join("others"), "operator:other\n").expect("the file is written");
    let by_both = list(&["--admin-credentials", "operator:secret", "--admin-credentials-file", "others"]);
    for command in [by_variable, by_option, by_both, list(&["--config", "c.toml"])] {
        let (code, out, err) = ran(command);
        assert!(code == 0 && out == "No instances found.\n", "{out}{err}");
    }
    fails(ran(list(&[])), 2, "OSB_ADMIN_CREDENTIALS_FILE");
    let of_platforms = ["--admin", &serving.url, "--admin-credentials", "user:password"];
    fails(ran(bare(&home, &[&["instances"], &of_platforms[..]].concat())), 1, "the address of --admin-listen");
}

#[tokio::test]
async fn credentials_of_a_client_on_the_command_line_win_over_a_token_in_the_environment() {
    let home = home();
    let serving = Serving::start(&home, &["--store", "memory"]);
    for line in [
        ["client", "--username", "user", "--password", "password", "catalog"],
        ["client", "catalog", "--username", "user", "--password", "password"],
    ] {
        let mut command = bare(&home, &line);
        command.env("OSB_CLIENT_URL", &serving.url).env("OSB_CLIENT_TOKEN", "other");
        prints(ran(command), "shelf");
    }
}

#[test]
fn a_mistyped_url_of_a_database_is_never_shown() {
    let home = home();
    for url in [
        "Postgres://broker:hunter2@db/kv",
        " postgres://broker:hunter2@db/kv",
        "\"postgres://broker:hunter2@db/kv\"",
        "mysql://broker:hunter2@db/kv",
        "postgresql:broker:hunter2@db/kv",
        "postgres//broker:hunter2@db/kv",
        "host=db user=broker password=hunter2",
        "file:shelf.redb",
    ] {
        let mut serve = shelf(&home, &[]);
        serve.env("OSB_STORE", url);
        let mut list = bare(&home, &["instances"]);
        list.env("OSB_STORE", url);
        let copy = bare(&home, &["records", "copy", "--from", url, "--to", url]);
        fs::write(home.path().join("c.toml"), format!("\nstore = {url:?}\n")).expect("the file is written");
        let configured = shelf(&home, &["--config", "c.toml"]);
        for (command, option) in [(serve, "store"), (list, "store"), (copy, "from"), (configured, "store")] {
            let (code, out, err) = ran(command);
            let said = format!("invalid value for '--{option} <FILE|URL>': write the name of a file, `postgres://…`");
            assert!(code == 2 && err.contains(&said) && !format!("{out}{err}").contains("hunter2"), "{url}: {err}");
        }
        let (_, _, err) = ran(shelf(&home, &["--config", "c.toml"]));
        assert!(err.contains("this value is from c.toml:2"), "{err}");
    }
}

#[test]
fn durations_have_units() {
    let home = home();
    fails(ran(shelf(&home, &["--delay", "200"])), 2, "the unit is missing; write `200s`");
    let (_, out, _) = ran(shelf(&home, &["config"]));
    assert!(out.contains("# delay = \"1ms\"\n") && out.contains("# pg-url-file = \"FILE\"\n"), "{out}");
}

#[test]
fn a_timeout_of_zero_is_refused_wherever_it_is_set() {
    let home = home();
    for name in ["head-timeout", "idle-timeout", "body-timeout", "write-timeout"] {
        let said = format!("invalid value '0s' for '--{name} <DURATION>': it must be longer than 0");
        fails(ran(shelf(&home, &[&format!("--{name}"), "0s"])), 2, &said);
        fails(ran(shelf(&home, &[]).env(format!("OSB_{}", name.replace('-', "_").to_uppercase()), "0s")), 2, &said);
        fs::write(home.path().join("c.toml"), format!("\n{name} = \"0s\"\n")).expect("the file is written");
        for args in [&["--config", "c.toml"][..], &["config", "--config", "c.toml"]] {
            let err = fails(ran(shelf(&home, args)), 2, &said);
            assert!(err.contains("this value is from c.toml:2"), "{args:?}: {err}");
        }
    }
}

#[test]
fn the_configuration_file_has_each_heading_once_and_the_file_of_a_secret_after_the_secret() {
    let home = home();
    let out = succeeds(ran(shelf(&home, &["config"])));
    let headings: Vec<&str> = out.lines().filter(|line| line.starts_with("## ")).collect();
    let different: BTreeSet<&str> = headings.iter().copied().collect();
    assert!(headings.len() > 5 && headings.len() == different.len(), "{headings:?}");
    let names: Vec<&str> =
        out.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(" = ").map(|(name, _)| name)).collect();
    let files: Vec<_> = names.iter().filter_map(|name| name.strip_suffix("-file")).collect();
    assert!(files.len() > 4 && files.contains(&"pg-url"), "{files:?}");
    for secret in files {
        let at = names.iter().position(|name| *name == secret).expect("the secret itself");
        assert_eq!(names[at + 1], format!("{secret}-file"), "{names:?}");
    }
}

#[test]
fn every_command_takes_a_configuration_file() {
    let home = home();
    fs::write(home.path().join("c.toml"), "log = \"warn\"\nusername = \"u\"\n").expect("the file is written");
    let (_, help, _) = ran(bare(&home, &["--help"]));
    let (_, rest) = help.split_once("Commands:\n").expect("commands");
    let names: Vec<&str> = rest.lines().map_while(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let command: &[&str] = match name {
            "client" => &["client", "catalog"],
            "records" => &["records", "copy"],
            _ => &[name],
        };
        prints(ran(bare(&home, &[command, &["--config", "c.toml", "--help"]].concat())), "--config <FILE>");
    }
    succeeds(ran(bare(&home, &["catalog", "--config", "c.toml"])));
}

#[tokio::test]
async fn the_client_takes_credentials_from_the_brokers_file() {
    let home = home();
    fs::write(home.path().join("c.toml"), "username = \"user\"\npassword = \"from the file\"\n")
        .expect("the file is written");
    let mut serve = shelf(&home, &["--store", "memory", "--config", "c.toml"]);
    serve.env_remove("OSB_USERNAME").env_remove("OSB_PASSWORD");
    let serving = Serving::of(serve);
    prints(ran(bare(&home, &["client", "catalog", "--url", &serving.url, "--config", "c.toml"])), "shelf");
    fails(ran(bare(&home, &["client", "catalog", "--url", &serving.url])), 1, "401");
}

#[test]
fn an_empty_variable_hides_no_file() {
    let home = home();
    fs::write(home.path().join("cf"), "cf:password").expect("the file is written");
    let mut serve = shelf(&home, &["--store", "memory", "--platform", "cf=/cf"]);
    serve.env("OSB_PLATFORM_CF_CREDENTIALS", "").env("OSB_PLATFORM_CF_CREDENTIALS_FILE", "cf");
    let serving = Serving::of(serve);
    let headers = "X-Broker-API-Version: 2.17\r\nAuthorization: Basic Y2Y6cGFzc3dvcmQ=\r\n";
    assert_eq!(serving.get("/cf/v2/catalog", headers).0, 200);
}

/// As of a secret that was written with a newline at its end: the broker would start without its records.
#[test]
fn a_location_with_white_space_at_its_end_is_refused() {
    let home = home();
    for store in ["shelf.redb\n", "memory\n", "postgres://u:hunter2@127.0.0.1/db?schema=shelf\n"] {
        let (code, _, err) = ran(shelf(&home, &["instances"]).env("OSB_STORE", store));
        let why = "'--store <FILE|URL>': remove the white space at its end, such as a newline";
        let from = "this value is from the environment variable OSB_STORE";
        assert!(code == 2 && err.contains(why) && err.contains(from) && !err.contains("hunter2"), "{store:?}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf_8_is_named() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let home = home();
    let bytes = OsStr::from_bytes(b"hunter2\xff");
    for name in ["OSB_PASSWORD", "OSB_STORE_KEYS", "OSB_LEASE", "PG_URL"] {
        let mut command = shelf(&home, &["serve"]);
        // A path need not be UTF-8.
        command.env("OSB_CREDENTIALS_FILE", bytes).env(name, bytes);
        let (code, _, err) = ran(command);
        let says = format!("the value of the environment variable {name} is not UTF-8");
        assert!(code == 2 && err.contains(&says) && !err.contains("hunter2"), "{name}: {err}");
    }
}
