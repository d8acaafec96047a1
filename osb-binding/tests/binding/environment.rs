//! `from_env` in processes of their own, whose variables these tests set.

use std::{env, fs, process::Command};

use osb_binding::Bindings;

/// The name of the test that is also the program of these processes.
const NAME: &str = "environment::the_variables_that_are_set_decide";

#[test]
fn the_variables_that_are_set_decide() {
    const IS_CHILD: &str = "OSB_BINDING_CHILD";
    if env::var_os(IS_CHILD).is_some() {
        match Bindings::from_env() {
            Ok(bindings) => println!("found {}", bindings.iter().count()),
            Err(error) => println!("{error}"),
        }
        return;
    }
    let one = r#"{"kv":[{"name":"store","credentials":{}}]}"#;
    let two = r#"{"kv":[{"name":"store","credentials":{}},{"name":"other","credentials":{}}]}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, broken, missing) = (path("vcap_services"), path("broken"), path("missing"));
    fs::write(&file, two).expect("it is written");
    fs::write(&broken, "[]").expect("it is written");
    fs::create_dir_all(folder.path().join("root/store")).expect("it is created");
    let root = path("root");
    let none = "this process has no service bindings: none of VCAP_SERVICES, VCAP_SERVICES_FILE_PATH and \
                SERVICE_BINDING_ROOT is set";
    // An empty variable counts as not set, and the file comes before `VCAP_SERVICES`.
    for (services, file, root, said) in [
        ("", "", "", none),
        (one, "", "", "found 1"),
        ("", &file, "", "found 2"),
        (one, &file, "", "found 2"),
        ("", "", &root, "found 1"),
        (one, "", &root, "found 2"),
        ("", &file, &root, "found 3"),
        ("[]", "", "", "VCAP_SERVICES is not what Cloud Foundry writes, at line 1"),
        ("", &broken, "", "broken (VCAP_SERVICES_FILE_PATH) is not what Cloud Foundry writes, at line 1"),
        (one, &missing, "", "missing (VCAP_SERVICES_FILE_PATH) can't be read"),
    ] {
        let mut child = Command::new(env::current_exe().expect("this program"));
        child.args([NAME, "--exact", "--nocapture"]).env(IS_CHILD, "1");
        child.env("VCAP_SERVICES", services).env("VCAP_SERVICES_FILE_PATH", file).env("SERVICE_BINDING_ROOT", root);
        let output = child.output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(said), "{services:?} {file:?} {root:?}: {text}");
    }
}
