//! The text of the differences between two releases.

use osb_docs::lock::Differences;

use super::*;

#[test]
fn a_difference_names_its_place() {
    #[parameters]
    struct Old {
        #[param(rename = "a/b")]
        list: Vec<Earlier>,
    }
    #[parameters(tag = "kind")]
    enum Earlier {
        Local,
        Remote { host: String },
    }
    #[parameters]
    struct New {
        #[param(rename = "a/b")]
        list: Vec<Later>,
    }
    #[parameters(tag = "kind")]
    enum Later {
        Local,
        Remote {
            #[param(length(max = 9))]
            host: String,
        },
    }
    let lock = |schema| Lock::of(&[&offering(Operations { create: Some(schema), update: None, bind: Some(schema) })]);
    let differences = lock(&const { Old::SCHEMA }).compare(&lock(&const { New::SCHEMA }));
    let expected = "\
* service / plan / create, bind /a~1b/*[kind=Remote]/host: the maximum length is lower (was none, is 9)
    breaks users: values that were accepted are refused, and so are updates of instances that have them
    instead: keep `length(max = ..)`
";
    assert_eq!(differences.to_string(), expected);
}

#[test]
fn one_change_of_several_plans_is_one_difference() {
    let polling = |free: u32, pro: u32| {
        lock(|catalog| {
            plan(catalog, "free")["maximum_polling_duration"] = json!(free);
            plan(catalog, "pro")["maximum_polling_duration"] = json!(pro);
        })
    };
    let listed = |differences: Differences| differences.all().iter().map(ToString::to_string).collect::<Vec<_>>();
    let shorter = "the maximum polling duration is shorter";
    assert_eq!(
        listed(polling(60, 60).compare(&polling(50, 50))),
        [format!("kv / free, pro: {shorter} (was 60, is 50)")]
    );
    assert_eq!(
        listed(polling(60, 60).compare(&polling(50, 40))),
        [format!("kv / free: {shorter} (was 60, is 50)"), format!("kv / pro: {shorter} (was 60, is 40)")]
    );
}

#[test]
fn a_difference_has_the_names_of_the_older_release() {
    let renamed = lock(|catalog| {
        catalog["services"][0]["name"] = json!("store");
        plan(catalog, "free")["bindable"] = json!(true);
        plan(catalog, "free")["name"] = json!("trial");
    });
    let differences = lock(|_| {}).compare(&renamed).to_string();
    let expected = [
        "* kv: the name of the service changed (was kv, is store)\n",
        "* kv / free: the name of the plan changed (was free, is trial)\n",
        "\nAdditions:\n  kv / free: instances can be bound\n",
    ];
    for line in expected {
        assert!(differences.contains(line), "{line:?} in {differences}");
    }
}

#[test]
fn compatible_changes_are_listed_by_their_verdict() {
    let compatible = lock(|catalog| {
        plan(catalog, "free")["retired"] = json!(true);
        plan(catalog, "pro")["bindable"] = json!(true);
    });
    let differences = lock(|_| {}).compare(&compatible);
    let expected = "\
Additions:
  kv / pro: instances can be bound

Other compatible changes:
  kv / free: the plan was retired
";
    assert_eq!(differences.to_string(), expected);
}

#[test]
fn breaking_changes_of_one_kind_share_their_advice() {
    let paid = |catalog: &mut Value, name| plan(catalog, name)["free"] = json!(false);
    let polling = |seconds: u32| {
        lock(|catalog| {
            catalog["services"][1]["plans"][0]["free"] = json!(seconds == 60);
            plan(catalog, "free")["maximum_polling_duration"] = json!(seconds);
            if seconds < 60 {
                paid(catalog, "free");
            }
        })
    };
    let said = polling(60).compare(&polling(50)).to_string();
    let begins: Vec<_> = said.lines().filter(|line| !line.starts_with("    ")).collect();
    let expected = [
        "* kv / free: the plan is no longer free",
        "* queue / one: the plan is no longer free",
        "* kv / free: the maximum polling duration is shorter (was 60, is 50)",
    ];
    assert_eq!(begins, expected, "{said}");
    assert_eq!(said.matches("    instead: ").count(), 2, "{said}");
}

#[test]
fn a_new_value_stands_alone() {
    let differences =
        lock(|_| {}).compare(&lock(|catalog| catalog["services"][0]["requires"] = json!(["volume_mount"])));
    let said = differences.all()[0].to_string();
    assert_eq!(said, "kv: bindings require an additional permission of the platform (volume_mount)");
}

#[test]
fn an_exclusive_bound_is_called_so() {
    let bound = |exclusive: bool| {
        let number = json!({ "type": "number", "maximum": 1.5, "exclusive_maximum": exclusive });
        lock(|catalog| plan(catalog, "free")["create"] = json!({ "type": "object", "properties": { "a": number } }))
    };
    let differences = bound(false).compare(&bound(true));
    assert_eq!([&*differences.all()[0].was, &*differences.all()[0].is], ["1.5", "1.5 exclusively"]);
}
