//! Plans that a deployment lists in a file, through the program's commands.

use std::{fs, path::Path};

use osb_client::Call;
use serde_json::{Value, json};

use crate::world::{SERVICE, Serving, fails, home, ran, shelf, succeeds};

const OAK: &str = "5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d11";
const PINE: &str = "5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d12";

const GOOD: &str = "\
[services.shelf.plans.oak]
family = 'wooden'
id = '5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d11'
description = 'A shelf of oak.'
free = false
metadata.costs = [{ amount = { eur = 40 }, unit = 'MONTHLY' }]
values = { boards = 5, wood = 'oak' }
narrow.width = { max = 90 }
";

const BAD: &str = "\
[services.shelf.plans.oak]
family = 'wooden'
id = '5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d02'
values = { boards = 0, wood = 'elm' }
[services.shelf.plans.pine]
family = 'wodden'
id = 'x'

[services.shelf.plans.small]
family = 'wooden'
id = '5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d13'
values.boards = 2
narrow = { width = { max = 500 }, colour = { min = 1.5 } }
[services.shelf.plans.ash]
values.boards = 2
";

fn write(home: &Path, text: &str) {
    fs::write(home.join("plans.toml"), text).expect("the file is written");
}

/// Runs a command with the file, which has to succeed, and returns its output.
fn with_file(home: &Path, args: &[&str]) -> String {
    succeeds(ran(shelf(home, args).args(["--catalog-overrides", "plans.toml"])))
}

#[test]
fn a_wrong_file_stops_the_start_with_all_its_lines_and_columns() {
    let home = home();
    write(home.path(), BAD);
    for args in [&[][..], &["catalog"], &["docs"], &["instances"], &["import", "x"]] {
        let (code, out, err) = ran(shelf(&home, args).env("OSB_CATALOG_OVERRIDES", "plans.toml"));
        assert_eq!((code, &*out), (2, ""), "{args:?}: {err}");
        for problem in [
            "plans.toml:3:1: plans `small` and `oak` of `shelf` share the id 5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d02;",
            "plans.toml:4:12: `boards` of family `wooden`: 0 is less than the minimum 1",
            "plans.toml:4:24: `wood` of family `wooden`: ",
            "plans.toml:6:1: service \"shelf\" has no family `wodden`; did you mean `wooden`?",
            "plans.toml:9:23: two plans of `shelf` are named `small`;",
            "plans.toml:13:22: this maximum is outside the range of the type of `width`, which is at most 200",
            "plans.toml:13:46: a length of `colour` must be a whole number that is not negative",
            "plans.toml:14:23: there is no plan `ash` of service \"shelf\"; a plan of a family names it,",
        ] {
            assert!(err.contains(problem), "{args:?}: {problem} in\n{err}");
        }
        assert!(!home.path().join("shelf.redb").exists());
    }
    write(home.path(), "[services.shelf.plans.oak]\nfamily = 'wooden'\nid = 'a' 'b'\n");
    fails(ran(shelf(&home, &["catalog", "--catalog-overrides", "plans.toml"])), 2, "plans.toml:3:10: ");
}

#[test]
fn documents_have_the_plans_of_the_deployment_or_else_the_family() {
    let home = home();
    write(home.path(), GOOD);
    let home = home.path();
    let catalog = with_file(home, &["catalog"]);
    assert!(catalog.contains("shelf    oak     no    yes       -           A shelf of oak."), "{catalog}");
    assert!(with_file(home, &["schema", "shelf", "oak", "create"]).contains("\"maximum\": 90"));
    let documents = with_file(home, &["docs"]);
    assert!(documents.contains("# Plan oak\n") && documents.contains("40 EUR monthly"), "{documents}");
    assert!(!documents.contains("wooden") && !documents.contains("boards"), "users don't see the values: {documents}");
    assert!(with_file(home, &["docs", "--format", "openapi"]).contains(OAK));

    let documents = succeeds(ran(shelf(home, &["docs"])));
    for part in ["A deployment lists the plans of", "# Family wooden\n", "| `boards` | integer, 1 to 20 |", "`width`"] {
        assert!(documents.contains(part), "{part} in {documents}");
    }
    assert!(!documents.contains("create-service shelf wooden"), "{documents}");
    let api = succeeds(ran(shelf(home, &["docs", "--format", "openapi"])));
    assert!(api.contains("The id of a plan of the family `wooden`, which a deployment lists."), "{api}");
    assert!(!succeeds(ran(shelf(home, &["catalog", "--json"]))).contains("wooden"));
}

#[test]
fn plans_are_in_the_order_of_the_file_after_those_of_the_program() {
    let home = home();
    let pine = format!(
        "[services.shelf.plans.pine]\nfamily = 'wooden'\nid = '{PINE}'\nvalues = {{ boards = 2, wood = 'oak' }}\n"
    );
    for (text, order) in [
        (format!("{pine}{GOOD}"), ["small", "large", "closed", "pine", "oak"]),
        (format!("{GOOD}{pine}"), ["small", "large", "closed", "oak", "pine"]),
    ] {
        write(home.path(), &text);
        let catalog: Value = serde_json::from_str(&with_file(home.path(), &["catalog", "--json"])).expect("JSON");
        let plans = catalog["services"][0]["plans"].as_array().expect("a list");
        assert_eq!(plans.iter().map(|plan| plan["name"].as_str().expect("a name")).collect::<Vec<_>>(), order);
    }
}

#[test]
fn the_lock_has_families_and_the_plans_of_a_deployment() {
    let home = home();
    write(home.path(), GOOD);
    let home = home.path();
    succeeds(ran(shelf(home, &["lock"])));
    let lock = fs::read_to_string(home.join("catalog.lock")).expect("the file is read");
    assert!(lock.contains("\"family\": {") && lock.contains("\"boards\"") && !lock.contains(OAK), "{lock}");
    // As if the release before had allowed more boards, and had no wood.
    let before = lock.replace("\"maximum\": 20", "\"maximum\": 30");
    assert_ne!(before, lock);
    fs::write(home.join("catalog.lock"), before).expect("the file is written");
    fails(
        ran(shelf(home, &["lock", "--check"])),
        1,
        "shelf / wooden / family /boards: the maximum is lower (was 30, is 20)",
    );

    with_file(home, &["lock", "--file", "prod.lock"]);
    with_file(home, &["lock", "--file", "prod.lock", "--check"]);
    write(home, &GOOD.replace("max = 90", "max = 80").replace(OAK, PINE));
    let mut command = shelf(home, &["lock", "--file", "prod.lock", "--check"]);
    command.args(["--catalog-overrides", "plans.toml"]);
    let err = fails(ran(command), 1, "shelf / oak: the id of the plan changed");
    assert!(err.contains("shelf / oak / create /width: the maximum is lower (was 90, is 80)"), "{err}");
    assert!(err.contains("run `shelf lock --file prod.lock --catalog-overrides plans.toml`"), "{err}");
}

#[tokio::test]
async fn the_records_of_a_plan_need_its_file() {
    let home = home();
    write(home.path(), GOOD);
    let home = home.path();
    let mut serving = Serving::start(home, &["--catalog-overrides", "plans.toml"]);
    assert!(serving.banner.contains("1 service with 4 plans"), "{}", serving.banner);
    for (id, width, status) in [("wide", 91, 400), ("one", 80, 201)] {
        let call = Call::provision(id, SERVICE, OAK).parameters(json!({ "width": width }));
        let made = serving.send(&call).await;
        assert_eq!(made.status.as_u16(), status, "{:?}", made.body);
    }
    assert_eq!(fs::read_to_string(home.join("plan")).expect("the handler writes it"), "oak of 5 boards");
    let (_, metrics) = serving.get("/metrics", "");
    assert!(metrics.contains("osb_instances{service=\"shelf\",plan=\"oak\"} 1"), "{metrics}");
    serving.stop(home);

    let missing = format!(
        "the records have 1 instance of plan {OAK}, which service \"shelf\" doesn't have in this release; restore the plan, in"
    );
    let commands: [&[&str]; 2] = [&[], &["purge", "one", "--yes"]];
    for args in commands {
        fails(ran(shelf(home, args)), 2, &missing);
    }
    assert!(with_file(home, &["instances"]).contains("oak"));
    let exported = succeeds(ran(shelf(home, &["export"])));
    assert!(with_file(home, &["purge", "one", "--yes"]).contains("purge: "));

    fs::write(home.join("in.jsonl"), exported.replace("\"one\"", "\"two\"")).expect("the file is written");
    let err = fails(ran(shelf(home, &["import", "in.jsonl"])), 2, &format!("service \"shelf\" has no plan {OAK}"));
    assert!(
        err.contains("  plans of families are in the file of --catalog-overrides (OSB_CATALOG_OVERRIDES)\n"),
        "{err}"
    );
    assert_eq!(with_file(home, &["import", "in.jsonl"]), "imported 1 instance and 0 bindings\n");
}
