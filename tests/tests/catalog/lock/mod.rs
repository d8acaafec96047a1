//! The catalog lock: its file, the ids that stay taken, and families.

mod kinds;
mod report;

use ChangeKind::*;
use osb_docs::lock::{ChangeKind, Lock, LockError};
use osb_runtime::{
    catalog::{Offering, PlanChange, PlanInfo, PlanSpec, Requires},
    prelude::*,
    schema::Schema,
};
use osb_tests::{
    offered::{Operations, offering},
    seed::leak,
};
use serde_json::{Value, json};

const KV: &str = "11111111-0000-4000-8000-000000000001";
const FREE: &str = "11111111-0000-4000-8000-000000000002";
const PRO: &str = "11111111-0000-4000-8000-000000000003";
const NEW: &str = "11111111-0000-4000-8000-000000000009";
const NEWER: &str = "11111111-0000-4000-8000-00000000000a";

fn catalog() -> Value {
    json!({ "version": 1, "services": [
        { "id": KV, "name": "kv", "plans": [
            { "id": FREE, "name": "free", "free": true },
            { "id": PRO, "name": "pro", "free": true },
        ] },
        { "id": "11111111-0000-4000-8000-000000000004", "name": "queue", "plans": [
            { "id": "11111111-0000-4000-8000-000000000005", "name": "one", "free": true },
        ] },
    ] })
}

fn lock(edit: impl FnOnce(&mut Value)) -> Lock {
    let mut catalog = catalog();
    edit(&mut catalog);
    catalog.to_string().parse().expect("a lock")
}

fn plan<'a>(catalog: &'a mut Value, name: &str) -> &'a mut Value {
    let plans = catalog["services"][0]["plans"].as_array_mut().expect("plans");
    plans.iter_mut().find(|plan| plan["name"] == name).expect("the plan")
}

fn remove(list: &mut Value, index: usize) -> Value {
    list.as_array_mut().expect("a list").remove(index)
}

fn add(list: &mut Value, value: Value) {
    list.as_array_mut().expect("a list").push(value);
}

fn found(old: &Lock, new: &Lock) -> Vec<ChangeKind> {
    let mut found: Vec<_> = old.compare(new).all().iter().map(|one| one.change).collect();
    found.sort_unstable();
    found
}

#[test]
fn a_lock_of_the_next_format_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("catalog.lock");
    std::fs::write(&file, json!({ "version": 2, "offers": [] }).to_string()).expect("it is written");
    let error = Lock::read(&file).expect_err("it is newer");
    assert!(matches!(error, LockError::Newer(_, 2)), "{error}");
}

#[test]
fn names_with_quotes_are_escaped_in_the_file() {
    let quoted = json!({ "type": "object", "properties": { "a \"b\" \\": { "type": "boolean" } } });
    let lock = lock(|catalog| plan(catalog, "free")["create"] = quoted);
    assert_eq!(lock.to_string().parse::<Lock>().expect("JSON"), lock);
}

/// Deployments list the plans of a family, which depend on it as instances depend on a plan.
#[test]
fn families_are_locked_as_plans_are() {
    fn family(values: &'static Schema, changes: bool) -> Lock {
        let of_plan = offering(Operations { create: Some(values), ..Operations::default() });
        let [plan] = *of_plan.plans else { panic!("one plan") };
        let spec = PlanSpec { id: NEW, name: "sized", ..plan.spec };
        let requires = Requires { volume_mount: true, ..Requires::NONE };
        let family = PlanInfo { spec, family: plan.create, create: None, requires, ..plan };
        let change = PlanChange { from: plan.spec.id, to: NEW };
        let changes: &[PlanChange] = if changes { leak([change].into_iter()) } else { &[] };
        Lock::of(&[&Offering { families: leak([family].into_iter()), changes, ..of_plan }])
    }
    #[parameters]
    struct Old {
        /// Its kind.
        a: u16,
    }
    #[parameters]
    struct New {
        /// Its size.
        a: u8,
    }
    let old = family(&const { Old::SCHEMA }, true);
    let written = old.to_string();
    assert!(written.contains(r#""requires": ["volume_mount"]"#), "{written}");
    assert!(written.contains(r#""changes_to": ["sized"]"#), "{written}");
    assert!(!written.contains("Its kind"), "descriptions are not locked: {written}");
    assert_eq!(written.parse::<Lock>().expect("a lock"), old);
    let differences = old.compare(&family(&const { New::SCHEMA }, false));
    let said: Vec<_> = differences.all().iter().map(ToString::to_string).collect();
    let expected = [
        "service / plan: instances can no longer change to another plan (was sized)",
        "service / plan / create /a: the maximum is lower (was 65535, is 255)",
        "service / sized / family /a: the maximum is lower (was 65535, is 255)",
    ];
    assert_eq!(said, expected);
    // Only an operator can set them.
    let text = differences.to_string();
    let (of_users, of_operators) = text.split_once(expected[2]).expect("the last one");
    assert!(of_users.contains("breaks users: values"), "{text}");
    assert!(of_operators.starts_with("\n    breaks deployments whose files list plans of the family: "), "{text}");
}

#[test]
fn an_id_that_is_used_again_has_its_new_meaning_once_that_is_accepted() {
    let removed = lock(|catalog| drop(remove(&mut catalog["services"][0]["plans"], 0))).following(&lock(|_| {}));
    let reusing = lock(|catalog| plan(catalog, "free")["name"] = json!("other")).following(&removed);
    assert_eq!(found(&reusing, &reusing), []);
    assert_eq!(found(&reusing.clone().following(&reusing), &lock(|_| {})), [PlanRenamed]);
}

#[test]
fn a_file_that_is_not_a_lock_is_refused() {
    let refused = |edit: fn(&mut Value)| {
        let mut catalog = catalog();
        edit(&mut catalog);
        catalog.to_string().parse::<Lock>().expect_err("it is refused").to_string()
    };
    assert_eq!(refused(|catalog| plan(catalog, "free")["bindabel"] = json!(true)), "unknown member `bindabel`");
    let misspelt = |catalog: &mut Value| {
        let items = json!({ "type": "string", "patern": "^a$" });
        plan(catalog, "free")["create"] =
            json!({ "type": "object", "properties": { "a": { "type": "list", "items": items } } });
    };
    assert_eq!(refused(misspelt), "unknown member `patern`");
    let edits: [fn(&mut Value); 4] = [
        |catalog| *catalog = json!([]),
        |catalog| *catalog = json!({ "version": 1 }),
        |catalog| catalog["services"][0]["id"] = json!(1),
        |catalog| plan(catalog, "free")["name"] = Value::Null,
    ];
    for edit in edits {
        assert_eq!(refused(edit), "a lock has `services`, each with an `id`, a `name` and `plans`");
    }
}

#[test]
fn a_value_of_a_wrong_type_counts_as_a_breaking_change() {
    let wrong = lock(|catalog| plan(catalog, "free")["bindable"] = json!("yes"));
    let right = lock(|catalog| plan(catalog, "free")["bindable"] = json!(true));
    assert_eq!(found(&wrong, &right), [BindabilityWithdrawn]);
}

#[test]
fn ids_of_all_earlier_releases_stay_taken() {
    let with_free = lock(|_| {});
    let without = || lock(|catalog| drop(remove(&mut catalog["services"][0]["plans"], 0)));
    let written = |lock: Lock| -> Lock { lock.to_string().parse().expect("its own format") };
    let second = written(without().following(&with_free));
    let third = written(without().following(&second));
    let fourth = written(without().following(&third));
    let reusing = lock(|catalog| catalog["services"][0]["plans"][0]["name"] = json!("trial"));
    for before in [second, third, fourth] {
        let differences = before.compare(&reusing);
        let reused: Vec<_> = differences.all().iter().filter(|one| one.change == IdReused).collect();
        let [reused] = &reused[..] else { panic!("{before}: {differences}") };
        assert_eq!(reused.was, "plan free of kv");
    }
    let back = lock(|_| {}).following(&with_free);
    assert!(!back.to_string().contains("gone"), "its ids are in use: {back}");
}
