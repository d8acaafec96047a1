//! The same credentials, read from `VCAP_SERVICES` and from a directory, as the type that the broker writes.

use std::{fs, path::Path};

use osb_binding::Bindings;

/// Access to a database.
#[osb_runtime::credentials]
#[derive(Debug, PartialEq)]
struct Access {
    /// The URL.
    uri: String,
    /// The port.
    port: u16,
    /// `true` if the database takes no writes.
    read_only: bool,
    /// The hosts.
    hosts: Vec<String>,
    /// A certificate.
    certificate: Option<String>,
}

const VCAP: &str = r#"{
    "postgres": [{
        "label": "postgres", "plan": "small", "name": "my-db", "instance_name": "my-db", "binding_name": null,
        "binding_guid": "b", "instance_guid": "i", "tags": ["sql", "relational"], "syslog_drain_url": null, "volume_mounts": [],
        "credentials": {
            "uri": "postgres://u:secret@db", "port": 5432, "read_only": false, "hosts": ["a", "b"], "added_later": {"x": 1}
        }
    }],
    "user-provided": [
        {"label": "user-provided", "name": "mail", "credentials": {"uri": "smtp://mail", "port": "25"}, "tags": []},
        {"label": "user-provided", "name": "other", "credentials": {}, "tags": []}
    ]
}"#;

fn access() -> Access {
    Access {
        uri: "postgres://u:secret@db".to_owned(),
        port: 5432,
        read_only: false,
        hosts: vec!["a".to_owned(), "b".to_owned()],
        certificate: None,
    }
}

fn write(root: &Path, binding: &str, entries: &[(&str, &str)]) {
    let folder = root.join(binding);
    fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in entries {
        fs::write(folder.join(name), text).expect("an entry");
    }
}

const ENTRIES: [(&str, &str); 7] = [
    ("type", "postgres\n"),
    ("provider", "acme"),
    ("uri", "postgres://u:secret@db"),
    ("port", "5432"),
    ("read_only", "false"),
    ("hosts", r#"["a","b"]"#),
    (".hidden", "ignored"),
];

#[test]
fn cloud_foundry() {
    let bindings = Bindings::from_vcap_services(VCAP).expect("what Cloud Foundry writes");
    for found in [bindings.offering("postgres"), bindings.tag("sql"), bindings.name("my-db")] {
        let binding = found.expect("one binding");
        assert_eq!(binding.credentials::<Access>(), Ok(access()));
        assert_eq!((binding.plan(), binding.offering()), (Some("small"), Some("postgres")));
    }
    assert_eq!(bindings.iter().count(), 3);
}

#[cfg(unix)]
#[derive(serde::Deserialize)]
struct Password {
    password: String,
}

#[test]
fn kubernetes() {
    let root = tempfile::tempdir().expect("a directory");
    write(root.path(), "my-db", &ENTRIES);
    // Kubernetes mounts a secret through links.
    #[cfg(unix)]
    {
        write(root.path(), ".data", &[("password", "1234")]);
        fs::create_dir(root.path().join("linked")).expect("a folder");
        std::os::unix::fs::symlink(root.path().join(".data/password"), root.path().join("linked/password"))
            .expect("a link");
        let bindings = Bindings::from_directory(root.path()).expect("folders of files");
        let linked: Password = bindings.name("linked").expect("one").credentials().expect("a password");
        assert_eq!(linked.password, "1234", "text that looks like a number stays text");
    }
    let bindings = Bindings::from_directory(root.path()).expect("folders of files");
    let binding = bindings.offering("postgres").expect("its type");
    assert_eq!(binding.credentials::<Access>(), Ok(access()));
    assert_eq!((binding.name(), binding.provider()), ("my-db", Some("acme")));
}

#[test]
fn files_that_are_not_text_are_bytes() {
    #[derive(Debug, serde::Deserialize)]
    struct Trust {
        #[serde(rename = "truststore.p12")]
        store: Vec<u8>,
        password: String,
    }
    let root = tempfile::tempdir().expect("a directory");
    let store = [0x30, 0x82, 0xff];
    write(root.path(), "my-db", &ENTRIES);
    write(root.path(), "my-db", &[("password", "1234")]);
    fs::write(root.path().join("my-db/truststore.p12"), store).expect("an entry");
    fs::write(root.path().join("my-db/port"), [0xff]).expect("an entry");
    let bindings = Bindings::from_directory(root.path()).expect("folders of files");
    let binding = bindings.offering("postgres").expect("its type");
    let trust: Trust = binding.credentials().expect("a list of bytes");
    assert_eq!((&trust.store[..], &*trust.password), (&store[..], "1234"));
    assert_eq!((binding.bytes("truststore.p12"), binding.bytes("password")), (Some(&store[..]), Some(&b"1234"[..])));
    assert_eq!(binding.bytes("none"), None);
    let error = binding.credentials::<Access>().expect_err("a port is a number").to_string();
    assert!(error.ends_with("`port` is binary data, where u16 is expected"), "{error}");
    fs::write(root.path().join("my-db/port"), "5432").expect("an entry");
    let bindings = Bindings::from_directory(root.path()).expect("folders of files");
    assert_eq!(bindings.name("my-db").expect("one").credentials::<Access>(), Ok(access()), "which has no such member");
}

#[test]
fn errors_say_what_there_is() {
    let bindings = Bindings::from_vcap_services(VCAP).expect("what Cloud Foundry writes");
    let error = bindings.offering("redis").expect_err("there is none").to_string();
    assert_eq!(
        error,
        "no service binding has the offering `redis`; found `my-db` of offering `postgres`, \
         `mail` of offering `user-provided`, `other` of offering `user-provided`"
    );
    let error = bindings.offering("user-provided").expect_err("there are two").to_string();
    assert!(error.contains("more than one") && error.ends_with("choose one by its name"), "{error}");
    let error = Bindings::default().tag("sql").expect_err("nothing").to_string();
    assert_eq!(error, "no service binding has the tag `sql`; the application has no service bindings");
    let error = Bindings::from_directory("/nonexistent").expect_err("no directory").to_string();
    assert!(error.contains("/nonexistent can't be read"), "{error}");
}

#[test]
fn errors_name_the_member_and_never_its_value() {
    let read = |credentials: &str| {
        let vcap = format!(r#"{{"p":[{{"name":"db","credentials":{credentials}}}]}}"#);
        let bindings = Bindings::from_vcap_services(&vcap).expect("what Cloud Foundry writes");
        bindings.name("db").expect("one").credentials::<Access>().expect_err("a mismatch").to_string()
    };
    let whole = "the credentials of the service binding `db` don't fit: ";
    assert_eq!(read("{}"), format!("{whole}has no member `uri`"));
    assert_eq!(
        read(r#"{"uri":"s3cret","port":"s3cret"}"#),
        format!("{whole}`port` is a string, where u16 is expected")
    );
    assert_eq!(read(r#"{"port":70000}"#), format!("{whole}`port` is not u16"));
    let mistyped = read(r#"{"hosts":["a",{"s3cret":1}]}"#);
    assert!(mistyped.contains("`hosts`") && !mistyped.contains("s3cret"), "{mistyped}");
    let error = Bindings::from_vcap_services(r#"{"p":"s3cret"}"#).expect_err("no list").to_string();
    assert_eq!(error, "VCAP_SERVICES is not what Cloud Foundry writes, at line 1, column 13");
    let shown = format!("{:?}", Bindings::from_vcap_services(VCAP).expect("what Cloud Foundry writes"));
    assert!(shown.contains("uri") && !shown.contains("secret"), "{shown}");
}
