//! TLS: the addresses that speak it, and messages in words.

use std::{fs, net::TcpStream, path::Path, process::Command};

use rcgen::{CertifiedKey, generate_simple_self_signed};

use crate::world::{Serving, bare, fails, get, home, logged, ran, shelf, until};

fn certificate(home: &Path, name: &str, host: &str) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([host.to_owned()]).expect("a certificate");
    fs::write(home.join(format!("{name}.crt")), cert.pem()).expect("the file is written");
    fs::write(home.join(format!("{name}.key")), signing_key.serialize_pem()).expect("the file is written");
}

/// Builds a command that serves with the certificate `a`.
fn secure(home: &Path, args: &[&str]) -> Command {
    let mut command = shelf(home, &["--store", "memory", "--tls-cert", "a.crt"]);
    command.args(["--tls-key", "a.key", "--admin-credentials", "admin:secret"]).args(args);
    command
}

#[test]
fn files_that_are_no_certificate_or_key_are_explained() {
    let home = home();
    certificate(home.path(), "a", "localhost");
    certificate(home.path(), "b", "localhost");
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    fs::write(home.path().join("c.key"), encrypted).expect("the file is written");
    for (certificate, key, said) in [
        ("a.crt", "b.key", "error: a.crt is a certificate for another key than the one in b.key\n"),
        ("a.crt", "c.key", "error: c.key contains a key with a passphrase; remove it with `openssl pkey "),
        ("a.crt", "a.crt", "error: a.crt contains a certificate, but no private key; the key is in another file\n"),
        ("a.key", "a.key", "error: a.key does not contain a certificate in PEM format\n"),
    ] {
        let (code, _, err) = ran(shelf(&home, &["--tls-cert", certificate, "--tls-key", key]));
        assert!(code == 2 && err.starts_with(said), "{err}");
    }
}

#[test]
fn clients_learn_what_is_wrong_with_a_certificate_or_a_scheme() {
    let home = home();
    certificate(home.path(), "a", "localhost");
    certificate(home.path(), "b", "localhost");
    let serving = Serving::logging(secure(home.path(), &["--log", "info,osb_runtime=debug"]), home.path());
    let here = serving.url.strip_prefix("https://").expect("TLS").to_owned();
    let port = here.rsplit_once(':').expect("a port").1.to_owned();
    let asked = |url: &str, ca: &str| {
        let mut client = bare(&home, &["client", "catalog", "--url", url]);
        if !ca.is_empty() {
            client.args(["--ca", ca]);
        }
        client.env("OSB_USERNAME", "user").env("OSB_PASSWORD", "password");
        ran(client)
    };
    let local = format!("https://localhost:{port}");
    assert_eq!(asked(&local, "a.crt").0, 0);
    for (url, ca, said) in [
        (
            &local,
            "b.crt",
            "its certificate is issued by an authority that is not trusted here\n  \
             name the file of the authority with --ca (OSB_CLIENT_CA)",
        ),
        (&format!("https://{here}"), "a.crt", "its certificate is for localhost, not for 127.0.0.1"),
        (&format!("http://localhost:{port}"), "", "this port speaks TLS; use https:// in place of http://"),
    ] {
        fails(asked(url, ca), 1, said);
    }
    // With authorities, a wrong scheme must not send the password unencrypted.
    let plain = format!("http://localhost:{port}");
    let administer = bare(&home, &["instances", "--admin", &plain, "--admin-ca", "a.crt"]);
    for (code, _, err) in [asked(&plain, "a.crt"), ran(administer)] {
        assert!(code == 2 && err.contains("certificates are given, which need https://"), "{err}");
    }
    fails(asked(&local, "a.key"), 2, "the authorities in a.key cannot be used: there is no certificate in PEM");
    let (status, text) = get(&here, "/v2/catalog", "");
    assert!(status == 400 && text.contains("\"description\"") && text.contains("this port speaks TLS"), "{text}");
    // The two clients that refused the certificate; not the health check, which sends nothing.
    drop(TcpStream::connect(&here).expect("it listens"));
    let failed = || logged(home.path(), "a TLS handshake failed");
    until(|| failed().len() + logged(home.path(), "a client hung up in the TLS handshake").len() == 3);
    assert_eq!(failed().len(), 2);
    for line in failed() {
        assert!(line["peer"].as_str().is_some_and(|peer| peer.starts_with("127.0.0.1:")), "{line}");
        assert!(line["level"] == "INFO" && line["error"].as_str().is_some_and(|why| why.contains("alert")), "{line}");
    }

    let plain = Serving::logging(shelf(&home, &["--store", "memory"]), home.path());
    fails(
        asked(&plain.url.replace("http://127.0.0.1", "https://localhost"), "a.crt"),
        1,
        "its answer is not TLS; if the port speaks plain HTTP, use http://",
    );
    until(|| logged(home.path(), "a client sent no valid HTTP/1.1").len() == 1);
}

#[cfg(unix)]
#[test]
fn a_certificate_is_replaced_without_a_restart() {
    let home = home();
    certificate(home.path(), "a", "localhost");
    let serving = Serving::of(secure(home.path(), &[]));
    let (_, port) = serving.url.rsplit_once(':').expect("a port");
    let asked = || {
        let args = ["client", "catalog", "--ca", "a.crt", "--url", &format!("https://localhost:{port}")];
        ran(bare(&home, &args).env("OSB_USERNAME", "user").env("OSB_PASSWORD", "password")).0
    };
    assert_eq!(asked(), 0);
    certificate(home.path(), "a", "localhost");
    assert_eq!(asked(), 1, "the broker has the old one");
    serving.hang_up();
    until(|| asked() == 0);
}

#[test]
fn commands_present_a_certificate_to_a_broker_that_requires_one() {
    let home = home();
    for name in ["a", "client", "other"] {
        certificate(home.path(), name, "localhost");
    }
    let both =
        ["client.crt", "client.key"].map(|name| fs::read_to_string(home.path().join(name)).expect("it is there"));
    fs::write(home.path().join("client.pem"), both.concat()).expect("the file is written");
    let requires = ["--tls-client-ca", "client.crt", "--admin-listen", "127.0.0.1:0", "--admin-tls", "on"];
    let serving = Serving::of(secure(home.path(), &requires));
    let here = |url: &str| format!("https://localhost:{}", url.rsplit_once(':').expect("a port").1);
    let (url, admin) = (here(&serving.url), here(serving.admin_url()));
    let run = |args: &[&str], given: &[&str]| {
        let mut command = bare(&home, args);
        command.args(given).env("OSB_USERNAME", "user").env("OSB_PASSWORD", "password");
        command.env("OSB_ADMIN_CREDENTIALS", "admin:secret");
        ran(command)
    };
    let catalog = ["client", "catalog", "--url", &url, "--ca", "a.crt"];
    let instances = ["instances", "--admin", &admin, "--admin-ca", "a.crt"];
    for (args, given) in [
        (&catalog[..], &["--cert", "client.crt", "--key", "client.key"][..]),
        (&catalog, &["--cert", "client.pem"]),
        (&instances, &["--admin-cert", "client.crt", "--admin-key", "client.key"]),
    ] {
        let (code, out, err) = run(args, given);
        assert_eq!(code, 0, "{args:?} {given:?}: {out}{err}");
    }
    for (args, given, exit, said) in [
        (
            &catalog[..],
            &[][..],
            1,
            "it requires a certificate of the client\n  name the file of the certificate with --cert (OSB_CLIENT_CERT)",
        ),
        (
            &catalog,
            &["--cert", "other.crt", "--key", "other.key"],
            1,
            "it does not accept the certificate of the client",
        ),
        (
            &instances,
            &[],
            1,
            "it requires a certificate of the client\n  name the file of the certificate with --admin-cert (OSB_ADMIN_CERT)",
        ),
        (
            &catalog,
            &["--cert", "client.crt", "--key", "other.key"],
            2,
            "the certificate in client.crt with the key in other.key cannot be used: the private key belongs to another",
        ),
        (
            &catalog,
            &["--cert", "client.crt"],
            2,
            "the certificate in client.crt cannot be used: there is no private key",
        ),
        (&catalog, &["--key", "client.key"], 2, "the key in client.key needs a certificate; name its file as well"),
        (&catalog, &["--cert", "none.crt"], 2, "the certificate in none.crt cannot be read: No such file"),
    ] {
        fails(run(args, given), exit, said);
    }
}

#[test]
fn the_admin_address_speaks_tls_only_where_it_has_to() {
    let home = home();
    certificate(home.path(), "a", "localhost");
    for (listen, when, scheme) in [
        ("127.0.0.1:0", "auto", "http://"),
        ("0.0.0.0:0", "auto", "https://"),
        ("127.0.0.1:0", "on", "https://"),
        ("0.0.0.0:0", "off", "http://"),
    ] {
        let serving = Serving::of(secure(home.path(), &["--admin-listen", listen, "--admin-tls", when]));
        assert!(serving.admin_url().starts_with(scheme), "{listen} {when}: {}", serving.banner);
    }
    let mut without = shelf(&home, &["--admin-tls", "on"]);
    without.args(["--admin-listen", "127.0.0.1:0", "--admin-credentials", "a:b"]);
    fails(ran(without), 2, "needs a certificate: set --tls-cert and --tls-key");
}
