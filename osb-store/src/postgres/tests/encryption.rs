//! Passwords that are bound to the certificate of an encrypted connection, and the socket in the file system, which has none.

use rcgen::{
    CertificateParams, Issuer, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519,
    SignatureAlgorithm,
};

use super::*;

async fn connected(database: &Database, parameters: &str) -> Result<(), String> {
    let connected = Postgres::connect(&database.url(parameters), None).await;
    connected.map(drop).map_err(|error| error.to_string())
}

/// Has the server encrypt with a certificate that is signed in a certain way, and ask for passwords by SCRAM.
async fn encrypts(database: &Database, algorithm: &'static SignatureAlgorithm) {
    let (key, authority) = (KeyPair::generate().expect("a key"), KeyPair::generate_for(algorithm).expect("a key"));
    let parameters = || CertificateParams::new(Vec::new()).expect("parameters");
    let issuer = Issuer::new(parameters(), authority);
    let certificate = parameters().signed_by(&key, &issuer).expect("a certificate").pem();
    let access = "host all all all scram-sha-256".to_owned();
    for (text, file) in [(certificate, "server.crt"), (key.serialize_pem(), "server.key"), (access, "pg_hba.conf")] {
        let lines = text.trim().replace('\n', "'), ('");
        database.execute(&format!("copy (values ('{lines}')) to program 'umask 077 && cat > {file}'")).await;
    }
    database.execute("alter system set ssl = on").await;
    let loaded_at = "select pg_conf_load_time()::text";
    let before = database.session().await.query_one(loaded_at, &[]).await.expect("a time").get::<_, String>(0);
    database.execute("select pg_reload_conf()").await;
    // Sessions begin with the configuration of the server.
    until(async || {
        let now = database.session().await.query_one(loaded_at, &[]).await.expect("a time");
        now.get::<_, String>(0) != before
    })
    .await;
}

#[test]
fn a_password_is_bound_to_the_certificate_of_the_server() {
    test(async |database| {
        for algorithm in [&PKCS_ECDSA_P256_SHA256, &PKCS_ECDSA_P384_SHA384] {
            encrypts(database, algorithm).await;
            for parameters in
                ["&sslmode=require&channel_binding=require", "&channel_binding=require", "&sslmode=require"]
            {
                assert_eq!(connected(database, parameters).await, Ok(()), "{algorithm:?} {parameters}");
            }
        }
        let refused =
            connected(database, "&sslmode=disable&channel_binding=require").await.expect_err("no certificate");
        assert!(refused.contains("channel binding"), "{refused}");

        // The signature has no digest to compare certificates by.
        encrypts(database, &PKCS_ED25519).await;
        assert_eq!(connected(database, "&sslmode=require").await, Ok(()));
        let refused = connected(database, "&sslmode=require&channel_binding=require").await.expect_err("no digest");
        assert!(refused.contains("channel binding"), "{refused}");
    });
}

/// As with libpq: the operating system protects it.
#[test]
fn the_socket_in_the_file_system_is_not_encrypted() {
    test(async |database| {
        let directory = database.session().await.query_one("show unix_socket_directories", &[]).await.expect("a row");
        let directory = directory.get::<_, String>(0).replace('/', "%2F");
        for mode in ["require", "verify-full"] {
            let url = database.url(&format!("&sslmode={mode}")).replace("127.0.0.1", &directory);
            Postgres::connect(&url, None).await.map_err(|error| error.to_string()).expect(mode);
        }
    });
}
