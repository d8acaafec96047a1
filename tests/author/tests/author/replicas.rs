//! Processes of the program with records on one PostgreSQL, as an operator sees them.

use std::{fs, path::Path};

use osb_client::Call;
use osb_throwaway_postgres::Server;

use crate::world::{SERVICE, SMALL, Serving, fails, home, operate, ran, shelf, succeeds};

const OLD: &str = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
const NEW: &str = "0d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea8f";

fn replica(home: &Path, server: &Server, keys: &str) -> Serving {
    let args = ["--admin-listen", "127.0.0.1:0", "--store", &server.url()];
    Serving::of(shelf(home, &args).env("OSB_STORE_KEYS", keys).env("OSB_ADMIN_CREDENTIALS", "operator:secret"))
}

/// As after a rotation of keys that left out its first step: the other process writes with a key that this one doesn't know.
#[tokio::test]
async fn records_with_an_unknown_key_hide_no_other_record() {
    let (Some(server), home) = (Server::start_or_skip(), home()) else { return };
    let outdated = replica(home.path(), &server, OLD);
    assert_eq!(outdated.provision("a").await.status, 201);
    assert_eq!(outdated.provision("c").await.status, 201);
    let other = replica(home.path(), &server, &format!("{NEW} {OLD}"));
    assert_eq!(other.provision("b").await.status, 201);

    for list in ["instances", "operations"] {
        let table = succeeds(operate(&home, &outdated, &[list]));
        let rows: Vec<&str> = table.lines().skip(1).collect();
        assert_eq!(rows.len(), 3, "{table}");
        for (row, id) in rows.iter().zip(["a", "b", "c"]) {
            assert_eq!(row.split_whitespace().nth(1), Some(id), "{table}");
            let is_unreadable = row.contains("[unreadable the store failed: it is encrypted with the key ");
            assert_eq!(is_unreadable, id == "b", "{row}");
        }
    }
    let (code, json, err) = operate(&home, &outdated, &["bindings", "--json"]);
    assert_eq!((code, json.trim()), (0, "[]"), "{err}");

    let (code, out, err) = operate(&home, &outdated, &["reseal"]);
    assert_eq!((code, &*out), (1, "2 records encrypted with the broker's first key\n"), "{err}");
    assert!(err.contains("1 record can't be read and stays as it is"), "{err}");
    // A deletion reads the instance.
    assert_eq!(outdated.send(&Call::deprovision("b", SERVICE, SMALL)).await.status, 503);
    // That of the instance before it reads the bindings, and not what follows them.
    assert_eq!(outdated.send(&Call::bind("a", "x", SERVICE, SMALL)).await.status, 201);
    assert_eq!(outdated.send(&Call::deprovision("a", SERVICE, SMALL)).await.status, 200);
    assert_eq!(succeeds(operate(&home, &other, &["reseal"])), "4 records encrypted with the broker's first key\n");
    assert_eq!(other.send(&Call::bind("b", "x", SERVICE, SMALL)).await.status, 201);
    for list in ["bindings", "operations"] {
        let table = succeeds(operate(&home, &outdated, &[list]));
        let is_it = |row: &str| row.contains("[unreadable ") && row.split_whitespace().nth(2) == Some("x");
        assert!(table.lines().any(is_it), "{table}");
    }
}

#[test]
fn commands_that_need_records_of_a_database_without_any_say_so() {
    let (Some(server), home) = (Server::start_or_skip(), home()) else { return };
    for args in [&["instances"][..], &["reseal", "--store-keys", OLD], &["export"]] {
        fails(ran(shelf(&home, args).args(["--store", &server.url()])), 2, "has no records");
    }
}

#[test]
fn sessions_have_the_name_of_the_program_unless_the_url_has_another() {
    let (Some(server), home) = (Server::start_or_skip(), home()) else { return };
    let count = |name: &str| {
        server.sql(&format!("select count(*) > 0 from pg_stat_activity where application_name = '{name}'"))
    };
    let separator = if server.url().contains('?') { '&' } else { '?' };
    let named = format!("{}{separator}application_name=shelf%20in%20Oslo", server.url());
    for (url, name) in [(server.url(), "shelf"), (named, "shelf in Oslo")] {
        let serving = Serving::start(&home, &["--store", &url]);
        assert_eq!(count(name), "t");
        drop(serving);
    }
    assert_eq!(server.sql("select count(*) from shelf.records"), "0");
}

#[tokio::test]
async fn records_are_in_the_database_of_a_service_binding() {
    let (Some(server), home) = (Server::start_or_skip(), home()) else { return };
    let vcap = |uri: &str| format!(r#"{{"pg":[{{"name":"records","label":"pg","credentials":{{"uri":"{uri}"}}}}]}}"#);
    let mut command = shelf(&home, &["--store", "binding:records"]);
    command.env("VCAP_SERVICES", vcap(&server.url()));
    let on_cloud_foundry = Serving::of(command);
    assert_eq!(on_cloud_foundry.provision("a").await.status, 201);

    let binding = home.path().join("bindings/records");
    fs::create_dir_all(&binding).expect("the directory of a binding");
    for (entry, value) in [("type", "postgresql"), ("uri", &*format!("{}\n", server.url()))] {
        fs::write(binding.join(entry), value).expect("an entry");
    }
    let mut command = shelf(&home, &["--store", "binding:records?application_name=other"]);
    command.env("SERVICE_BINDING_ROOT", home.path().join("bindings"));
    let on_kubernetes = Serving::of(command);
    assert_eq!(on_kubernetes.provision("a").await.status, 200, "they share the records");
    let other = "select count(*) > 0 from pg_stat_activity where application_name = 'other'";
    assert_eq!(server.sql(other), "t");

    let url = server.url();
    for (store, services, expected) in [
        ("binding:records", None, "none of VCAP_SERVICES, VCAP_SERVICES_FILE_PATH and SERVICE_BINDING_ROOT is set"),
        ("binding:record", Some(vcap(&url)), "records"),
        ("binding:records", Some(vcap("mysql://broker:hunter2@db/kv")), "have no `uri` that begins with `postgres://`"),
        ("binding:postgres://broker:hunter2@db/kv", Some(vcap(&url)), "write the name of a file"),
    ] {
        let mut command = shelf(&home, &["--store", store]);
        command.envs(services.map(|services| ("VCAP_SERVICES", services)));
        let (code, out, err) = ran(command);
        assert!(code == 2 && err.contains(expected) && !format!("{out}{err}").contains("hunter2"), "{store}: {err}");
    }
}
