//! Several platforms behind path prefixes, each with its credentials (AUTH-05), over real connections.

use crate::served::{Answered, Served};
use osb_lab::prelude::*;
use osb_runtime::http::{AcceptedCredentials, Platforms};

/// `cf:root-secret`
const ROOT: &str = "Basic Y2Y6cm9vdC1zZWNyZXQ=";
/// `cf:prod-secret`
const PROD: &str = "Basic Y2Y6cHJvZC1zZWNyZXQ=";
/// `cf:staging-secret`
const STAGING: &str = "Basic Y2Y6c3RhZ2luZy1zZWNyZXQ=";

fn of(password: &str) -> AcceptedCredentials {
    AcceptedCredentials::basic("cf", password).expect("a user without colon")
}

/// Returns platforms at `/cf-prod` and at `/staging/cf`.
fn two() -> Platforms {
    let one = Platforms::behind("cf-prod", "/cf-prod", of("prod-secret")).expect("a name and a prefix");
    one.and_behind("cf-staging", "/staging/cf", of("staging-secret")).expect("a name and a prefix")
}

/// Returns the same platforms and one without a prefix.
fn three() -> Platforms {
    let root = Platforms::from(of("root-secret"));
    let one = root.and_behind("cf-prod", "/cf-prod", of("prod-secret")).expect("a name and a prefix");
    one.and_behind("cf-staging", "/staging/cf", of("staging-secret")).expect("a name and a prefix")
}

async fn get(broker: &Served, authorization: &str, path: &str) -> Answered {
    let headers = [("Authorization", authorization), ("X-Broker-API-Version", "2.17")];
    broker.send("GET", path, &headers, "").await
}

async fn status(broker: &Served, authorization: &str, path: &str) -> u16 {
    get(broker, authorization, path).await.status
}

#[tokio::test]
async fn each_platform_is_served_behind_its_prefix_with_its_own_credentials() {
    let broker = Served::start(three(), HttpSettings::default()).await;
    for (prefix, own) in [("", ROOT), ("/cf-prod", PROD), ("/staging/cf", STAGING)] {
        let catalog = format!("{prefix}/v2/catalog");
        for credentials in [ROOT, PROD, STAGING, "Basic Y2Y6bm9uZQ==", ""] {
            let expected = if credentials == own { 200 } else { 401 };
            assert_eq!(status(&broker, credentials, &catalog).await, expected, "{catalog} {credentials}");
        }
        // Cloud Foundry sends two slashes if the broker's URL ends with one.
        assert_eq!(status(&broker, own, &format!("{prefix}//v2/catalog")).await, 200, "{prefix}");
        for unknown in ["", "/", "/v2", "/v2/catalog/", "/catalog", "/v1/catalog"] {
            let path = if prefix.is_empty() && unknown.is_empty() { "/" } else { unknown };
            assert_eq!(status(&broker, own, &format!("{prefix}{path}")).await, 404, "{prefix}{unknown}");
        }
    }
}

#[tokio::test]
async fn an_unauthenticated_client_cannot_detect_prefixes() {
    for platforms in [two(), three()] {
        let broker = Served::start(platforms, HttpSettings::default()).await;
        for credentials in ["", "Basic", "Basic Y2Y6bm9uZQ==", "Bearer x"] {
            let known = get(&broker, credentials, "/cf-prod/v2/catalog").await;
            assert_eq!(known.status, 401);
            for path in ["/cf-prof/v2/catalog", "/cf-prod", "/staging", "/staging/cf", "/v2/catalog", "/"] {
                assert_eq!(get(&broker, credentials, path).await, known, "{path}");
            }
        }
        // The credentials of one platform don't disclose the others.
        for path in ["/cf-prod/v2/catalog", "/cf-prof/v2/catalog", "/v2/catalog", "/cf-prod%2Fv2/catalog"] {
            assert_eq!(status(&broker, STAGING, path).await, 401, "{path}");
        }
    }
}

#[tokio::test]
async fn without_a_root_platform_paths_without_a_prefix_are_not_served() {
    let broker = Served::start(two(), HttpSettings::default()).await;
    for credentials in [PROD, STAGING, "", "Basic Og=="] {
        for path in ["/v2/catalog", "/", "/unknown/v2/catalog", &instance("i")] {
            assert_eq!(status(&broker, credentials, path).await, 401, "{path}");
        }
    }
    assert_eq!(status(&broker, PROD, "/cf-prod/v2/catalog").await, 200);
}

#[test]
fn invalid_or_duplicate_names_prefixes_and_credentials_are_rejected() {
    let refused = |name: &str, prefix: &str| {
        Platforms::behind(name, prefix, of("prod-secret")).expect_err(&format!("{name}={prefix}")).to_string()
    };
    let long = "n".repeat(65);
    for name in ["", "cf prod", "cf/prod", "é", "a=b", &long] {
        assert!(refused(name, "/cf").contains("a platform's name must consist of 1 to 64 letters"), "{name}");
    }
    for (prefix, why) in [
        ("", "must begin with `/`"),
        ("cf", "must begin with `/`"),
        ("/", "must neither end with `/`"),
        ("/cf/", "must neither end with `/`"),
        ("//cf", "nor contain `//`"),
        ("/cf//x", "nor contain `//`"),
        ("/v2", "must not contain the segment `v2`"),
        ("/v2/cf", "must not contain the segment `v2`"),
        ("/cf/v2", "must not contain the segment `v2`"),
        ("/cf/..", "must not contain the segments `.` or `..`"),
        ("/./cf", "must not contain the segments `.` or `..`"),
        ("/cf%20", "may contain only letters"),
        ("/c f", "may contain only letters"),
        ("/cf?x", "may contain only letters"),
        ("/é", "may contain only letters"),
    ] {
        let said = refused("cf", prefix);
        assert!(said.contains(why) && said.contains("platform `cf`"), "{prefix}: {said}");
    }
    for good in ["/c", "/cf-prod", "/a/b/c", "/v2x", "/~x", "/v1.2_3", "/.well-known/osb"] {
        assert!(Platforms::behind("A-Z_0.9", good, of("prod-secret")).is_ok(), "{good}");
    }

    let again = |name: &str, prefix: &str, password: &str| {
        let error = three().and_behind(name, prefix, of(password)).expect_err("a duplicate").to_string();
        assert!(!error.contains("secret"), "{error}");
        error
    };
    assert_eq!(again("cf-prod", "/x", "new"), "platform `cf-prod`: another platform has the same name");
    assert_eq!(again("x", "/cf-prod", "new"), "platform `x`: platform `cf-prod` has the same prefix `/cf-prod`");
    assert_eq!(
        again("x", "/x", "staging-secret"),
        "platform `x`: its credentials are also those of platform `cf-staging`"
    );
    assert_eq!(
        again("x", "/x", "root-secret"),
        "platform `x`: its credentials are also those of the platform without a prefix"
    );
    assert!(three().and_behind("x", "/cf-prod/x", of("new")).is_ok(), "within another prefix");
    assert!(!format!("{:?}", three()).contains("secret"));
}

/// Instances of different platforms are independent, even with the same id.
#[tokio::test]
async fn the_same_id_of_two_platforms_is_two_instances() {
    let broker = Served::start(three(), HttpSettings::default()).await;
    let ask = async |prefix: &str, authorization: &str, method: &str, path: &str, body: &str| {
        let headers = [("Authorization", authorization), ("X-Broker-API-Version", "2.17")];
        broker.send(method, &format!("{prefix}{path}"), &headers, body).await
    };
    let sized = |size: u32| new(ids::SMALL, json!({ "size": size })).to_string();
    let (i, b, gone) = (instance("i"), binding("i", "b"), format!("{}?{DELETE}", instance("i")));
    let access = bind(ids::SMALL, json!({})).to_string();
    let platforms = [("", ROOT, 1), ("/cf-prod", PROD, 2), ("/staging/cf", STAGING, 3)];

    for (prefix, own, size) in platforms {
        assert_eq!(ask(prefix, own, "GET", &i, "").await.status, 404, "{prefix}: not made by it");
        assert_eq!(ask(prefix, own, "GET", &format!("{i}/last_operation"), "").await.status, 404, "{prefix}");
        assert_eq!(ask(prefix, own, "PUT", &b, &access).await.status, 404, "{prefix}");
        assert_eq!(ask(prefix, own, "DELETE", &gone, "").await.status, 410, "{prefix}: not its to delete");
        assert_eq!(ask(prefix, own, "PUT", &i, &sized(size)).await.status, 201, "{prefix}: a new one");
    }
    for (prefix, own, size) in platforms {
        assert_eq!(ask(prefix, own, "PUT", &i, &sized(size)).await.status, 200, "{prefix}: its own again");
        let fetched = ask(prefix, own, "GET", &i, "").await;
        assert_eq!((fetched.status, &fetched.body["parameters"]["size"]), (200, &json!(size)), "{prefix}");
        let whose = ["", "-of-cf-prod", "-of-cf-staging"][size as usize - 1];
        let dashboard = format!("https://lab.example.com/i{whose}");
        assert_eq!(fetched.body["dashboard_url"], dashboard, "before the handler is called");
        assert_eq!(fetched.body["metadata"]["labels"]["kind"], format!("lab{whose}"), "by the handler");
        let changes = change(json!({ "parameters": { "size": size + 10 } })).to_string();
        assert_eq!(ask(prefix, own, "PATCH", &i, &changes).await.status, 200, "{prefix}");
        assert_eq!(ask(prefix, own, "PUT", &b, &access).await.status, 201, "{prefix}: a new one");
    }
    for (prefix, own, size) in platforms {
        let fetched = ask(prefix, own, "GET", &i, "").await;
        assert_eq!(fetched.body["parameters"]["size"], json!(size + 10), "{prefix}: changed once");
        for path in [b.clone(), format!("{b}/last_operation")] {
            assert_eq!(ask(prefix, own, "GET", &path, "").await.status, 200, "{prefix}: of its own");
        }
        assert_eq!(ask(prefix, own, "DELETE", &format!("{b}?{DELETE}"), "").await.status, 200, "{prefix}");
    }
    for (prefix, own, size) in platforms {
        assert_eq!(ask(prefix, own, "DELETE", &gone, "").await.status, 200, "{prefix}");
        assert_eq!(ask(prefix, own, "GET", &i, "").await.status, 404, "{prefix}");
        let left = platforms.iter().filter(|(.., other)| *other > size);
        for (prefix, own, _) in left {
            assert_eq!(ask(prefix, own, "GET", &i, "").await.status, 200, "{prefix}: still there");
        }
    }
}
