//! Several platforms: the platform of a path.

use super::*;
use crate::http::Platforms;

fn credentials_of(password: &str) -> AcceptedCredentials {
    AcceptedCredentials::basic("platform", password).unwrap()
}

fn platforms() -> Platforms {
    let platforms = Platforms::from(credentials_of("secret-1"));
    let platforms = platforms.and_behind("one", "/cf", credentials_of("secret-2")).unwrap();
    platforms.and_behind("two", "/cf/staging", credentials_of("secret-3")).unwrap()
}

fn find(platforms: &Platforms, path: &'static str) -> (&'static str, &'static str) {
    let place = platforms.find(path);
    let name = match place.tenant.as_str() {
        "one" => "one",
        "two" => "two",
        _ => "",
    };
    (name, &path[path.len() - place.path.len()..])
}

#[test]
fn auth_05_the_longest_prefix_of_whole_segments_counts() {
    let platforms = platforms();
    for (path, found) in [
        ("/v2/catalog", ("", "/v2/catalog")),
        ("/cf/v2/catalog", ("one", "/v2/catalog")),
        ("//cf//v2/catalog", ("one", "//v2/catalog")),
        ("/cf", ("one", "")),
        ("/cf/stag", ("one", "/stag")),
        ("/cf/staging/v2/catalog", ("two", "/v2/catalog")),
        ("/cf/stagings/v2/catalog", ("one", "/stagings/v2/catalog")),
        ("/cfs/v2/catalog", ("", "/cfs/v2/catalog")),
        ("/%63f/v2/catalog", ("", "/%63f/v2/catalog")),
        ("/CF/v2/catalog", ("", "/CF/v2/catalog")),
        ("/cf%2Fstaging/v2/catalog", ("", "/cf%2Fstaging/v2/catalog")),
        ("/v2/service_instances/cf", ("", "/v2/service_instances/cf")),
        ("*", ("", "*")),
        ("", ("", "")),
    ] {
        assert_eq!(find(&platforms, path), found, "{path}");
    }
}
