//! `from_env` in processes of their own, whose variables these tests set.

use std::{env, process::Command};

use osb_binding::Bindings;

/// The name of the test that is also the program of these processes.
const NAME: &str = "empty_variables_count_as_not_set";

#[test]
fn empty_variables_count_as_not_set() {
    const IS_CHILD: &str = "OSB_BINDING_CHILD";
    if env::var_os(IS_CHILD).is_some() {
        match Bindings::from_env() {
            Ok(bindings) => println!("found {}", bindings.iter().count()),
            Err(error) => println!("{error}"),
        }
        return;
    }
    let vcap = r#"{"kv":[{"name":"store","credentials":{}}]}"#;
    let none = "this process has no service bindings: neither VCAP_SERVICES nor SERVICE_BINDING_ROOT is set";
    for (services, root, said) in [("", "", none), (vcap, "", "found 1")] {
        let mut child = Command::new(env::current_exe().expect("this program"));
        child.args([NAME, "--exact", "--nocapture"]).env(IS_CHILD, "1");
        child.env("VCAP_SERVICES", services).env("SERVICE_BINDING_ROOT", root);
        let output = child.output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(said), "{services:?} {root:?}: {text}");
    }
}
