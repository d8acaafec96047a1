//! Certificates, passwords that are bound to them, and the socket in the file system, which has none.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedKey, IsCa, Issuer, KeyPair, PKCS_ECDSA_P256_SHA256,
    PKCS_ECDSA_P384_SHA384, PKCS_ED25519, PKCS_RSA_SHA256, PKCS_RSA_SHA384, PKCS_RSA_SHA512, PublicKeyData,
    SignatureAlgorithm, SigningKey, generate_simple_self_signed,
};

use super::*;

async fn connected(database: &Database, parameters: &str) -> Result<(), String> {
    let connected = Postgres::connect(&database.url(parameters), None).await;
    connected.map(drop).map_err(|error| error.to_string())
}

/// Opens another connection in place of those that a store has.
async fn reconnected(store: &Postgres) -> Result<(), String> {
    store.connector.give_up_all();
    store.client().await.map(BusyConnection::release).map_err(|error| unavailable(error).to_string())
}

/// Has the server encrypt with a certificate, and maybe check access by another rule.
async fn encrypts(database: &Database, certificate: &str, key: &KeyPair, access: Option<&str>) {
    let key = key.serialize_pem();
    let access = access.map(|rule| (rule, "pg_hba.conf"));
    for (text, file) in [(certificate, "server.crt"), (&*key, "server.key")].into_iter().chain(access) {
        let lines = text.trim().replace('\n', "'), ('");
        database.execute(&format!("copy (values ('{lines}')) to program 'umask 077 && cat > {file}'")).await;
    }
    database.execute("alter system set ssl = on").await;
    let loaded_at = async || {
        let loaded_at = "select pg_conf_load_time()::text";
        database.session().await.query_one(loaded_at, &[]).await.expect("a time").get::<_, String>(0)
    };
    let before = loaded_at().await;
    database.execute("select pg_reload_conf()").await;
    // Sessions begin with the configuration of the server.
    until(async || loaded_at().await != before).await;
}

#[test]
fn certificates_are_verified_as_the_mode_says() {
    let Some(database) = Database::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let authority = |name: &str| {
        let key = KeyPair::generate().expect("a key");
        let mut parameters = CertificateParams::new(Vec::new()).expect("parameters");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).expect("a certificate").pem();
        let path = folder.path().join(name);
        std::fs::write(&path, certificate).expect("a file");
        (Issuer::new(parameters, key), path.display().to_string())
    };
    let ((issuer, trusted), (_, foreign)) = (authority("ca.pem"), authority("foreign.pem"));
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(vec!["db.example".to_owned()]).expect("parameters");
    let certificate = certificate.signed_by(&key, &issuer).expect("a certificate").pem();
    run(async {
        encrypts(&database, &certificate, &key, None).await;
        let connect = async |host: &str, parameters: &str| {
            let url = database.url("").replace("127.0.0.1", host) + parameters;
            Postgres::connect(&url, None).await.map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(connect("127.0.0.1", "&sslmode=disable").await, Ok(()));
        assert_eq!(connect("127.0.0.1", &format!("&sslmode=verify-ca&sslrootcert={trusted}")).await, Ok(()));
        for parameters in [
            format!("&sslmode=verify-ca&sslrootcert={foreign}"),
            format!("&sslmode=require&sslrootcert={foreign}"),
            format!("&sslmode=verify-full&sslrootcert={trusted}"),
            "&sslmode=verify-full".to_owned(),
        ] {
            let refused = connect("127.0.0.1", &parameters).await.expect_err(&parameters);
            assert!(refused.contains("certificate"), "{parameters}: {refused}");
        }
        let named = format!("&sslmode=verify-full&sslrootcert={trusted}&hostaddr=127.0.0.1");
        assert_eq!(connect("db.example", &named).await, Ok(()));

        // The files are read for each connection.
        let url = database.url("") + &format!("&sslmode=verify-ca&sslrootcert={trusted}");
        let store = Postgres::connect(&url, None).await.expect("a store");
        let replace_by = async |certificate: &str| {
            std::fs::write(&trusted, certificate).expect("it is replaced");
            reconnected(&store).await
        };
        let authorities = [&trusted, &foreign].map(|path| std::fs::read_to_string(path).expect("a file"));
        let refused = replace_by(&authorities[1]).await.expect_err("another authority has signed it");
        assert!(refused.contains("certificate"), "{refused}");
        assert_eq!(replace_by(&authorities[0]).await, Ok(()));
        assert_eq!(replace_by("half a certificate").await, Ok(()), "those of the start are used");

        let refused = connect("127.0.0.1", "&sslmode=verify-ca&sslrootcert=/nowhere.pem").await.expect_err("no file");
        assert!(refused.contains("/nowhere.pem") && refused.contains("sslrootcert"), "{refused}");
        for one in ["sslcert", "sslkey"] {
            let refused = connect("127.0.0.1", &format!("&{one}={trusted}")).await.expect_err("the other is missing");
            assert!(refused.contains("`sslcert` and `sslkey` belong together"), "{refused}");
        }
    });
}

#[test]
fn the_certificate_of_the_client_is_read_for_each_connection() {
    test(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("client.pem");
        let [own, other] = [(), ()].map(|()| generate_simple_self_signed(Vec::new()).expect("a certificate"));
        let write = |CertifiedKey { cert, signing_key }: &CertifiedKey<KeyPair>| {
            std::fs::write(&path, cert.pem() + &signing_key.serialize_pem()).expect("a file");
        };
        let lines = own.cert.pem().trim().replace('\n', "'), ('");
        database.execute(&format!("copy (values ('{lines}')) to program 'cat > clients.crt'")).await;
        database.execute("alter system set ssl_ca_file = 'clients.crt'").await;
        let access = "hostssl all all all scram-sha-256 clientcert=verify-ca\nhostnossl all all all scram-sha-256";
        encrypts(database, &own.cert.pem(), &own.signing_key, Some(access)).await;

        write(&own);
        let file = path.display();
        let url = database.url(&format!("&sslmode=require&sslcert={file}&sslkey={file}"));
        let store = Postgres::connect(&url, None).await.expect("the server trusts the certificate");
        write(&other);
        let refused = reconnected(&store).await.expect_err("the server doesn't trust this one");
        assert!(refused.contains("UnknownCA"), "{refused}");
        write(&own);
        assert_eq!(reconnected(&store).await, Ok(()));
    });
}

/// Makes empty signatures, because `sslmode=require` verifies none.
struct Authority(&'static SignatureAlgorithm);

impl PublicKeyData for Authority {
    fn der_bytes(&self) -> &[u8] {
        &[]
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        self.0
    }
}

impl SigningKey for Authority {
    fn sign(&self, _: &[u8]) -> Result<Vec<u8>, rcgen::Error> {
        Ok(Vec::new())
    }
}

#[test]
fn a_password_is_bound_to_the_certificate_of_the_server() {
    test(async |database| {
        let serves_certificate = async |algorithm: &'static SignatureAlgorithm| {
            let key = KeyPair::generate().expect("a key");
            let parameters = || CertificateParams::new(Vec::new()).expect("parameters");
            let certificate = parameters().signed_by(&key, &Issuer::new(parameters(), Authority(algorithm)));
            // The server sends those of its authorities after its own.
            let issuer = parameters().self_signed(&key).expect("a certificate").pem();
            let certificates = certificate.expect("a certificate").pem() + &issuer;
            encrypts(database, &certificates, &key, Some("host all all all scram-sha-256")).await;
        };
        for algorithm in
            [&PKCS_ECDSA_P256_SHA256, &PKCS_ECDSA_P384_SHA384, &PKCS_RSA_SHA256, &PKCS_RSA_SHA384, &PKCS_RSA_SHA512]
        {
            serves_certificate(algorithm).await;
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
        serves_certificate(&PKCS_ED25519).await;
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
            // The name is then only that of the certificate.
            let addressed = Postgres::connect(&format!("{url}&hostaddr=127.0.0.1"), None).await;
            assert!(addressed.is_err(), "{mode}: it would not be encrypted");
        }
    });
}
