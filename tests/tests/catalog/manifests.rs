//! The manifests of the example and of new projects, by the schemas of Kubernetes.

use std::process::Command;

use osb_tests::other_tools::installed;

const MANIFESTS: [(&str, &str); 3] = [
    ("broker.yaml", include_str!("../../../examples/kv/deploy/kubernetes/broker.yaml")),
    ("secret.yaml", include_str!("../../../examples/kv/deploy/kubernetes/secret.yaml")),
    ("kubernetes.yaml", include_str!("../../../osb-tool/src/project/kubernetes.yaml.txt")),
];

#[test]
fn kubernetes_accepts_the_manifests() {
    let Some(program) = installed("python/bin/kubernetes-validate") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let validate = |manifest: &str, text: &str, version: &str| {
        std::fs::write(folder.path().join(manifest), text).expect("the file is written");
        let mut command = Command::new(&program);
        command.args(["--strict", "--kubernetes-version", version, manifest]).current_dir(folder.path());
        let output = command.output().expect("the program runs");
        (output.status.success(), format!("{version}: {}", String::from_utf8_lossy(&output.stderr)))
    };
    for (manifest, text) in MANIFESTS {
        let text = text.replace("{name}", "my-broker");
        for version in ["1.28", "1.37"] {
            let (accepted, said) = validate(manifest, &text, version);
            assert!(accepted, "{manifest}, {said}");
        }
        let (accepted, said) = validate(manifest, &text.replace("metadata:", "metadat:"), "1.37");
        assert!(!accepted && said.contains("metadat"), "{manifest}, {said}");
    }
}

/// Namespaces can enforce this standard, and refuse other pods.
#[test]
fn pods_satisfy_the_restricted_pod_security_standard() {
    for (manifest, text) in MANIFESTS.iter().filter(|(_, text)| text.contains("containers:")) {
        for required in [
            "runAsNonRoot: true",
            "seccompProfile: { type: RuntimeDefault }",
            "allowPrivilegeEscalation: false",
            "capabilities: { drop: [ALL] }",
        ] {
            assert!(text.contains(required), "{manifest}: {required}");
        }
    }
}
