//! The password file of libpq, which is read for each connection, so that the password can change while the broker runs.

use std::{fs, io, path::PathBuf, sync::Arc};

use tokio_postgres::{Config, config::Host};
use zeroize::Zeroizing;

use super::ConnectError;

/// A file with lines `HOST:PORT:DATABASE:USER:PASSWORD`, of which the first four fields can be `*`.
#[derive(Clone)]
pub(super) struct Passfile(Arc<PathBuf>);

impl Passfile {
    pub(super) fn new(path: String) -> Self {
        Self(Arc::new(path.into()))
    }

    /// Returns the configuration with the password for its host, without one if no line fits.
    async fn complete(&self, mut config: Config) -> io::Result<Config> {
        let path = Arc::clone(&self.0);
        let read = tokio::task::spawn_blocking(move || fs::read_to_string(&*path));
        let text = Zeroizing::new(read.await.map_err(io::Error::other)??);
        if let Some(password) = password(&text, &config) {
            config.password(&*password);
        }
        Ok(config)
    }

    /// Returns the configuration with the password for its host. What is wrong with the file is logged, and the server refuses
    /// the connection.
    pub(super) async fn complete_or_warn(&self, config: &Config) -> Config {
        self.complete(config.clone()).await.unwrap_or_else(|error| {
            tracing::warn!(path = %self.0.display(), %error, "the file with the password of the database can't be read");
            config.clone()
        })
    }

    /// Checks that the file has a password for at least one of the hosts.
    pub(super) async fn check(&self, hosts: &[Config]) -> Result<(), ConnectError> {
        for host in hosts {
            let complete = self
                .complete(host.clone())
                .await
                .map_err(|error| ConnectError::Passfile(format!("{} can't be read: {error}", self.0.display())))?;
            if complete.get_password().is_some() {
                return Ok(());
            }
        }
        let wanted = "HOST:PORT:DATABASE:USER:PASSWORD";
        Err(ConnectError::Passfile(format!(
            "{} has no line for the host, port, database and user of the URL: write {wanted}, with `*` for any value",
            self.0.display()
        )))
    }
}

/// Returns the password of the first line that fits, as libpq finds it.
fn password(text: &str, config: &Config) -> Option<Zeroizing<String>> {
    let user = config.get_user()?;
    let database = config.get_dbname().unwrap_or(user);
    let port = config.get_ports().first().unwrap_or(&5432).to_string();
    let mut host = match (config.get_hosts().first(), config.get_hostaddrs().first()) {
        (Some(Host::Tcp(name)), _) => vec![name.clone()],
        #[cfg(unix)]
        (Some(Host::Unix(path)), _) => vec![path.display().to_string()],
        (None, address) => address.iter().map(ToString::to_string).collect(),
    };
    // That of a socket, of whose directories libpq knows the usual one.
    if !matches!(config.get_hosts().first(), Some(Host::Tcp(_))) {
        host.push("localhost".to_owned());
    }
    let wanted: [&[String]; 4] = [&host, &[port], &[database.to_owned()], &[user.to_owned()]];
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let rest = wanted.iter().try_fold(line, |rest, wanted| {
            let (field, rest) = split(rest)?;
            (field == "*" || wanted.contains(&unescaped(field))).then_some(rest)
        })?;
        (!rest.is_empty()).then(|| unescaped(rest))
    })
}

/// Splits a line at the first colon without a backslash.
fn split(line: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let colon = line.find(|c| {
        let is_colon = c == ':' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_colon
    })?;
    Some((&line[..colon], &line[colon + 1..]))
}

/// Removes the backslashes before other characters.
fn unescaped(field: &str) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(field.len()));
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        text.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, url: &str) -> Option<String> {
        password(text, &url.parse().expect("a URL")).map(|password| password.to_string())
    }

    #[test]
    fn the_first_line_that_fits_has_the_password_as_for_libpq() {
        let file = "# db:*:*:*:comment\n\
                    db:5433:*:kv:port\n\
                    db:*:other:kv:database\n\
                    db:*:kv:kv:of the user's name\n\
                    fd00\\:\\:1:*:*:*:v6\n\
                    /run/other:*:*:kv:socket\n\
                    localhost:*:*:kv:local\n\
                    short:line\n\
                    db:*:*:kv:pass:with\\:colons\\\\and backslash\n\
                    *:*:*:kv:any\n\
                    *:*:*:empty:\n";
        for (url, password) in [
            ("postgres://kv@db:5433/broker", Some("port")),
            ("postgres://kv@db/other", Some("database")),
            ("postgres://kv@db", Some("of the user's name")),
            ("postgres://kv@db/broker", Some(r"pass:with:colons\and backslash")),
            ("postgres://kv@elsewhere/broker", Some("any")),
            ("host=/run/postgresql user=kv", Some("local")),
            ("host=/run/other user=kv", Some("socket")),
            ("hostaddr=fd00::1 user=other", Some("v6")),
            ("postgres://other@db/broker", None),
            ("postgres://empty@db/broker", None),
        ] {
            assert_eq!(found(file, url).as_deref(), password, "{url}");
        }
    }
}
