//! Tests of the validation of defaults at start.

use crate::{catalog::EffectiveCatalog, prelude::*, service::Broker as _};

/// A word.
#[parameters]
#[derive(Debug)]
struct Word(#[param(pattern = "^[a-z]+$")] String);

/// A host.
#[parameters]
#[derive(Debug)]
struct Host(#[param(pattern = "^[a-z.]+$")] String);

/// A nested type.
#[parameters]
#[derive(Debug)]
struct Backup {
    /// The target.
    #[param(default = "not a host")]
    host: Host,
    /// A valid default.
    #[param(default = "backup.example.com")]
    fallback: Host,
}

/// Invalid defaults that const evaluation can't detect.
#[parameters]
#[derive(Debug)]
struct Invalid {
    /// A prefix.
    #[param(default = "UPPER")]
    prefix: Word,
    /// The backups.
    backups: Vec<Backup>,
    /// The words of paths.
    #[param(default = { "a/b": "UPPER" })]
    paths: std::collections::BTreeMap<String, Word>,
}

/// A service or plan with invalid defaults.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
struct Kv;

/// A service or plan with invalid defaults.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", create = Invalid)]
struct Free;

provision!(Kv);

#[broker]
struct Broker(Kv);

#[test]
fn invalid_defaults_are_start_errors() {
    let error = EffectiveCatalog::unchanged(Broker::OFFERINGS)
        .json(Broker::CATALOG, Broker::DYNAMIC, |_| None)
        .expect_err("it does not start");
    let problems = error.problems();
    assert_eq!(problems.len(), 3, "{error}");
    let of = |field: &str| problems.iter().find(|problem| problem.contains(&format!("{field:?}")));
    let prefix = of("prefix").expect("the error names it");
    for part in ["create parameters", r#"plan "free" of "kv""#, r#""UPPER" does not match the pattern ^[a-z]+$"#] {
        assert!(prefix.contains(part), "{prefix}");
    }
    assert!(of("paths.a/b").is_some(), "{error}");
    assert!(of("backups[].host").is_some_and(|problem| problem.contains("not a host")), "{error}");
}
