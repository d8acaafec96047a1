//! Instances that no platform can reach cause a warning.

use osb_client::Call;

use crate::world::{SERVICE, SMALL, Serving, home, logged, shelf, until};

const NAMED: &str = "the records have instances of a platform that is not served, so no request reaches them; add it with \
                     --platform NAME=/PREFIX";

#[tokio::test]
async fn a_platform_with_instances_that_is_no_longer_served_is_named_in_the_log() {
    let home = home();
    let store = ["--store", "shelf.redb"];
    let serve = |platforms: &[&str]| {
        let mut command = shelf(&home, &store);
        command.args(platforms).env("OSB_PLATFORM_CF_PROD_CREDENTIALS", "cf:prod");
        command.env("OSB_PLATFORM_CF_TEST_CREDENTIALS", "cf:test");
        command
    };
    let both = ["--platform", "cf-prod=/prod", "--platform", "cf-test=/test"];
    let serving = Serving::logging(serve(&both), home.path());
    for id in ["one", "two"] {
        assert_eq!(serving.provision(id).await.status, 201);
    }
    let prod = osb_client::Client::new(&format!("{}/prod", serving.url)).expect("a URL").basic("cf", "prod");
    let create = |id| Call::provision(id, SERVICE, SMALL).parameters(serde_json::json!({ "width": 80 }));
    for (call, status) in
        [(create("one"), 201), (create("deleted"), 201), (Call::deprovision("deleted", SERVICE, SMALL), 200)]
    {
        assert_eq!(prod.send(&call).await.expect("an answer").status, status);
    }
    drop(serving);

    let _serving = Serving::logging(serve(&both[2..]), home.path());
    until(|| !logged(home.path(), NAMED).is_empty());
    let line = &logged(home.path(), NAMED)[0];
    assert_eq!((line["platform"].as_str(), line["instances"].as_u64()), (Some("cf-prod"), Some(1)));
    assert_eq!(logged(home.path(), NAMED).len(), 1, "the platform without a prefix is served, and so is cf-test");
}
