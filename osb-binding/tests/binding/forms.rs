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

#[test]
fn members_that_are_null_count_as_absent() {
    let vcap = r#"{"kv":[{"label":null,"plan":null,"name":"store","tags":null,"credentials":null}]}"#;
    let bindings = Bindings::from_vcap_services(vcap).expect("what a platform may write");
    let binding = bindings.offering("kv").expect("one binding");
    assert_eq!((binding.name(), binding.plan(), binding.tags()), ("store", None, &[][..]));
}

#[test]
fn the_name_of_a_binding_comes_before_that_of_its_instance() {
    let vcap = |names: &[&str]| {
        let bindings =
            names.iter().map(|name| format!(r#"{{"name":"{name}","instance_name":"db","credentials":{{}}}}"#));
        Bindings::from_vcap_services(&format!(r#"{{"p":[{}]}}"#, bindings.collect::<Vec<_>>().join(",")))
            .expect("what Cloud Foundry writes")
    };
    let bindings = vcap(&["c", "db2", "db"]);
    for name in ["c", "db2", "db"] {
        assert_eq!(bindings.name(name).expect("its own name").name(), name);
    }
    assert_eq!(vcap(&["c"]).name("db").expect("that of the instance").name(), "c");
    assert_eq!(
        vcap(&["c", "d"]).name("db").expect_err("two bindings to the instance").to_string(),
        "more than one service binding has the name `db`: found `c` of offering `p`, `d` of offering `p`; choose one by its name"
    );
    assert_eq!(
        vcap(&["db", "db"]).name("db").expect_err("two of one name").to_string(),
        "more than one service binding has the name `db`: found `db` of offering `p`, `db` of offering `p`"
    );
}

#[test]
fn the_type_in_the_credentials_finds_the_binding_of_an_offering_with_another_name() {
    let vcap = |bindings: &str| Bindings::from_vcap_services(bindings).expect("what Cloud Foundry writes");
    let bindings = vcap(
        r#"{"acme-db":[{"name":"db","credentials":{"type":"postgresql"}}],"mail":[{"name":"mail","credentials":{"type":7}}]}"#,
    );
    assert_eq!(bindings.offering("postgresql").expect("its type").name(), "db");
    assert_eq!(bindings.offering("acme-db").expect("its label").name(), "db");

    let bindings = vcap(
        r#"{"acme-db":[{"name":"a","credentials":{"type":"sql"}}],"sql":[{"name":"b","credentials":{"type":"other"}}]}"#,
    );
    assert_eq!(bindings.offering("sql").expect("the label comes first").name(), "b");
    let bindings =
        vcap(r#"{"acme-db":[{"name":"a","credentials":{"type":"sql"}},{"name":"b","credentials":{"type":"sql"}}]}"#);
    let error = bindings.offering("sql").expect_err("there are two").to_string();
    assert!(error.contains("more than one service binding has the offering `sql`"), "{error}");
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

/// Reads the credentials of a binding whose folder has these files.
fn read_files<T: serde::de::DeserializeOwned>(files: &[(&str, &[u8])]) -> Result<T, String> {
    let root = tempfile::tempdir().expect("a directory");
    fs::create_dir(root.path().join("db")).expect("a folder");
    for (name, bytes) in files {
        fs::write(root.path().join("db").join(name), bytes).expect("an entry");
    }
    let bindings = Bindings::from_directory(root.path()).expect("folders of files");
    let read = bindings.name("db").expect("one").credentials();
    read.map_err(|error| error.to_string().replace("the credentials of the service binding `db` don't fit: ", ""))
}

#[test]
fn bytes_do_not_depend_on_being_text() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Key<T> {
        key: T,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Byte(u8);
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(from = "std::ffi::CString")]
    struct Bytes(std::ffi::CString);
    impl From<std::ffi::CString> for Bytes {
        fn from(bytes: std::ffi::CString) -> Self {
            Self(bytes)
        }
    }
    for file in [&b"\xff\xfeab"[..], b"abcd", b"1234", b"-----BEGIN CERTIFICATE-----\n", b" x ", b""] {
        assert_eq!(read_files(&[("key", file)]), Ok(Key { key: file.to_vec() }), "{file:?}");
        let wrapped = file.iter().copied().map(Byte).collect::<Vec<_>>();
        assert_eq!(read_files(&[("key", file)]), Ok(Key { key: Some(wrapped) }), "{file:?}");
        let numbers = read_files::<Key<Vec<u16>>>(&[("key", file)]).expect_err("no list of numbers");
        assert!(numbers.starts_with("`key` is ") && numbers.ends_with(", where a sequence is expected"), "{numbers}");
    }
    assert_eq!(read_files(&[("key", b"abcd")]), Ok(Key { key: *b"abcd" }));
    assert_eq!(
        read_files::<Key<[u8; 3]>>(&[("key", b"abcd")]),
        Err("`key` has 4 bytes, where 3 are expected".to_owned())
    );
    assert!(read_files::<Key<[u8; 5]>>(&[("key", b"abcd")]).is_err());
    // As the broker writes a `Vec<u8>`.
    assert_eq!(read_files(&[("key", b"[1,2]\n")]), Ok(Key { key: vec![1_u8, 2] }));
    assert!(read_files::<Key<(u8, u8)>>(&[("key", b"[1,2,3]")]).is_err(), "one too many");
    assert_eq!(read_files(&[("key", b"[1,2]")]), Ok(Key { key: Bytes(c"[1,2]".to_owned()) }));
}

#[test]
fn enums_and_flattened_types_are_read_from_files() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Wood {
        Oak,
        Mixed { parts: u8 },
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Server {
        port: u16,
        tls: Option<bool>,
        hosts: Vec<String>,
        password: String,
        wood: Wood,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Flat {
        uri: String,
        wood_of_all: Wood,
        #[serde(flatten)]
        server: Server,
    }
    let files: [(&str, &[u8]); 7] = [
        ("uri", b"1"),
        ("wood_of_all", br#"{"mixed":{"parts":2}}"#),
        ("port", b"5432\n"),
        ("tls", b"true"),
        ("hosts", br#"["a"]"#),
        ("password", b"1234"),
        ("wood", b"oak\n"),
    ];
    let server = || Server {
        port: 5432,
        tls: Some(true),
        hosts: vec!["a".to_owned()],
        password: "1234".to_owned(),
        wood: Wood::Oak,
    };
    assert_eq!(read_files(&files), Ok(server()));
    let flat = Flat { uri: "1".to_owned(), wood_of_all: Wood::Mixed { parts: 2 }, server: server() };
    assert_eq!(read_files(&files), Ok(flat));
    let mut wrong = files;
    wrong[2].1 = b"s3cret";
    assert_eq!(read_files::<Flat>(&wrong), Err("is a string, where u16 is expected".to_owned()));
    wrong = files;
    wrong[6].1 = b"s3cret";
    assert_eq!(read_files::<Flat>(&wrong), Err("must be one of `oak`, `mixed`".to_owned()));
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

#[test]
fn a_binding_has_all_its_names_and_tags() {
    let vcap = r#"{"p":[
        {"name":"db","binding_name":"main","instance_name":"db-1","tags":["sql","fast"],"credentials":{}},
        {"name":"x","binding_name":"x","instance_name":"x","credentials":{}}
    ]}"#;
    let bindings = Bindings::from_vcap_services(vcap).expect("what Cloud Foundry writes");
    for name in ["db", "main", "db-1"] {
        assert_eq!(bindings.name(name).expect("one of its names").name(), "db");
    }
    for tag in ["sql", "fast"] {
        assert_eq!(bindings.tag(tag).expect("one of its tags").name(), "db");
    }
    let shown = format!("{:?}", bindings.name("x").expect("one"));
    assert!(shown.contains(r#"names: ["x"]"#), "equal names count once: {shown}");
}

#[test]
fn values_of_json_keep_their_kinds() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Values {
        offset: i64,
        ratio: f64,
        note: Option<String>,
        inner: Inner,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Inner {
        level: u8,
    }
    let read = |credentials: &str| {
        let vcap = format!(r#"{{"p":[{{"name":"db","credentials":{credentials}}}]}}"#);
        let bindings = Bindings::from_vcap_services(&vcap).expect("what Cloud Foundry writes");
        bindings.name("db").expect("one").credentials::<Values>().map_err(|error| error.to_string())
    };
    let values = Values { offset: -5, ratio: 0.5, note: None, inner: Inner { level: 1 } };
    assert_eq!(read(r#"{"offset":-5,"ratio":0.5,"note":null,"inner":{"level":1}}"#), Ok(values));
    let error = read(r#"{"offset":-5,"ratio":0.5,"inner":{"level":1.5}}"#).expect_err("a fraction");
    assert!(error.ends_with("`inner.level` is a number, where u8 is expected"), "{error}");
}

#[test]
fn bindings_are_in_the_order_of_their_names_and_other_entries_are_ignored() {
    let root = tempfile::tempdir().expect("a directory");
    for name in ["c", "a", "d", "b"] {
        write(root.path(), name, &[("uri", "x")]);
    }
    // Neither is a binding or an entry.
    fs::write(root.path().join("a-file"), "x").expect("a file");
    fs::create_dir(root.path().join("a/a-folder")).expect("a folder");
    let bindings = Bindings::from_directory(root.path()).expect("folders of files");
    let names: Vec<_> = bindings.iter().map(osb_binding::Binding::name).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    let binding = bindings.name("a").expect("one");
    assert_eq!((binding.bytes("uri"), binding.bytes("a-folder")), (Some(&b"x"[..]), None));
}
